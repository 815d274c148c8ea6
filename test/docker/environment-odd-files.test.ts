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
const outside = (repo: GitRepo) => join(repo.root, "outside.txt");

async function open(index: TinyIndex, spoil: (repo: GitRepo) => void): Promise<SessionWorld> {
  return await SessionWorld.open({
    ...{ files: { "hall.py": "VALUE = 0\n" }, tasks: [task], script: {} },
    env: { PIP_INDEX_URL: index.url },
    spoil: (repo) => {
      writeFileSync(outside(repo), "greet\n");
      spoil(repo);
      repo.commit("odd");
    },
  });
}

test("a link or folder with the name of a dependency file is ignored, and nothing outside of the base is read", async () => {
  await using index = await TinyIndex.open([]);
  await using world = await open(index, (repo) => {
    symlinkSync(outside(repo), join(repo.path, "requirements.txt"));
    mkdirSync(join(repo.path, "requirements-dev.txt"));
    writeFileSync(join(repo.path, "requirements-dev.txt", "x"), "greet\n");
  });
  await world.stage();
  expect([index.asked, await world.environments()]).toEqual([[], []]);
});

const packages = Array.from(
  { length: 20_000 },
  (_, at) =>
    `[[package]]\nname = "p${at}"\nversion = "1"\nsource = { virtual = "${at === 0 ? "." : "x"}" }\ndependencies = [{ name = "p${at + 1}" }]\n`,
);
const odd: readonly (readonly [path: string, content: string | Buffer, said: RegExp])[] = [
  ["requirements.txt", Buffer.from([0xff, 0xc1, 0x80]), /it is not UTF-8 text/],
  ["uv.lock", `version = 1\n${packages.join("")}`, /uv\.lock/],
];

test("bytes that are no text and a lock of many packages are refused with a reason, and in time", async () => {
  await using index = await TinyIndex.open([]);
  await using world = await open(index, () => undefined);
  for (const [path, content, said] of odd) {
    writeFileSync(join(world.repo.path, path), content);
    world.repo.commit(path);
    const began = performance.now();
    await expect(world.stage()).rejects.toMatchObject({ code: "usage", message: expect.stringMatching(said) });
    expect(performance.now() - began).toBeLessThan(45_000);
    world.repo.git("rm", "-q", path);
  }
  expect(index.asked).toEqual([]);
});
