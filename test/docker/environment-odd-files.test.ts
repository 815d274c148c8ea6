import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { GitRepo } from "../helpers/git-repo.js";
import { type SeedTask, SessionWorld } from "../helpers/session-world.js";
import { TinyIndex } from "../helpers/tiny-index.js";

const task: SeedTask = {
  id: "T-001",
  title: "Value",
  description: "hall.VALUE is one.",
  acceptance_criteria: ["it is one"],
  test: {
    name: "test_t001_value.py",
    source: "from hall import VALUE\n\n\ndef test_value():\n    assert VALUE == 1\n",
  },
};
const staged = "it is staged";
const none = /^it is staged$/;

type Spoil = (repo: GitRepo, outside: string) => void;
const text =
  (path: string, content: string | Buffer): Spoil =>
  (repo) =>
    writeFileSync(join(repo.path, path), content);

const odd: Readonly<Record<string, readonly [Spoil, RegExp]>> = {
  "a link to a file outside": [(repo, outside) => symlinkSync(outside, join(repo.path, "requirements.txt")), none],
  "a folder of that name": [
    (repo) => {
      mkdirSync(join(repo.path, "requirements.txt"));
      writeFileSync(join(repo.path, "requirements.txt", "x"), "greet\n");
    },
    none,
  ],
  "a file of zeros": [text("requirements.txt", Buffer.alloc(100)), /requirements\.txt line 1 is not understood/],
  "bytes that are no text": [text("requirements.txt", Buffer.from([0xff, 0xc1, 0x80])), /it is not UTF-8 text/],
  "a million lines": [text("requirements.txt", "a\n".repeat(1_000_000)), /it is larger than 1 MB/],
  "many lines": [text("requirements.txt", "greet\n".repeat(160_000)), /ask for more than 10000 things/],
  "a name that leads upwards": [text("requirements.txt", "../greet\n"), /line 1: no path is taken/],
  "a name of other letters": [text("requirements.txt", "gre\u0435t\n"), /line 1 is not understood/],
  "deep tables": [text("pyproject.toml", `[project]\nname = "a"\n[${"a.".repeat(100_000)}a]\n`), /nested too deeply/],
  "deep lists": [text("pyproject.toml", `[project]\nx = ${"[".repeat(100_000)}`), /nested too deeply/],
  "a deep lock": [text("uv.lock", `version = 1\nx = ${"{a=".repeat(100_000)}`), /nested too deeply|cannot be read/],
  "a lock of many packages": [
    text(
      "uv.lock",
      `version = 1\n${Array.from({ length: 60_000 }, (_, at) => `[[package]]\nname = "p${at}"\nversion = "1"\nsource = { virtual = "${at === 0 ? "." : "x"}" }\ndependencies = [{ name = "p${at + 1}" }]\n`).join("")}`,
    ),
    /uv\.lock/,
  ],
};

test.each(Object.keys(odd))("%s is answered, and nothing outside of the base is read", async (name) => {
  const [spoil, said] = odd[name] ?? [];
  await using index = await TinyIndex.open([]);
  await using world = await SessionWorld.open({
    ...{ files: { "hall.py": "VALUE = 0\n" }, tasks: [task], script: {} },
    env: { PIP_INDEX_URL: index.url },
    spoil: (repo) => {
      const outside = join(repo.root, "outside.txt");
      writeFileSync(outside, "greet\n");
      spoil?.(repo, outside);
      repo.commit("odd");
    },
  });
  const began = performance.now();
  const problem = await world.stage().then(
    () => staged,
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  );
  expect(problem).toMatch(said ?? none);
  expect(performance.now() - began).toBeLessThan(45_000);
  expect(index.asked).toEqual([]);
});
