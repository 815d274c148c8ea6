import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CliStage } from "../helpers/cli-stage.js";
import { git } from "../helpers/fake-git.js";

let stage: CliStage;
beforeAll(async () => {
  stage = await CliStage.open({}, 2);
});
afterAll(() => stage?.[Symbol.asyncDispose]());

const green = "def test_that_stands():\n    assert True\n";
const keptGreen = 'def test_that_stands():\n    """keep-green: it stood before"""\n    assert True\n';

/** The stage's own tests, one of which has another test beside its red one. */
function seedWith(more: string): readonly string[] {
  const file = join(stage.seed, "tests", "test_t002_answer.py");
  const red = "from pkg.m2 import answer\n\n\ndef test_answer():\n    assert answer() == 2\n";
  writeFileSync(file, more === "" ? red : `import importlib\n\n\n${moved}\n\n${more}`);
  return ["seed", stage.source, "--from", stage.seed];
}

/** The import is inside the test, so that the test beside it is collected. */
const moved = 'def test_answer():\n    assert importlib.import_module("pkg.m2").answer() == 2\n';

test("a seed with a test that already passes is refused, takes nothing away and leaves nothing behind", async () => {
  seedWith("");
  const prepared = await stage.prepared();
  const before = await stage.traces();
  const { code, stdout, stderr } = await stage.tilth.run([...seedWith(green), "--force"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(
    /^tilth: tests\/test_t002_answer\.py::test_that_stands \(T-002\) passes already.*keep-green: <reason>.*\n {2}→ correct the seed in .*, then try again$/m,
  );
  expect(await stage.traces()).toEqual(before);
  expect(before.sessions).toEqual([prepared]);
});

test("a seed that says why its test stays green is staged, with each test's result on record", async () => {
  const { code, stdout, stderr } = await stage.tilth.run([...seedWith(keptGreen), "--force"]);
  expect([code, stderr]).toEqual([0, expect.stringContaining("discarded session")]);
  const id = /session (\S+) is prepared/.exec(stdout)?.[1] ?? "";
  expect(stage.tilth.sessions()).toEqual([id]);
  const lines = readFileSync(join(stage.tilth.home, "sessions", id, "events.jsonl"), "utf8")
    .trim()
    .split("\n");
  const all = lines.map((line) => JSON.parse(line));
  const receipts = all.flatMap(({ type, payload }) => (type === "isolation_receipt" ? [payload] : []));
  expect(receipts.map(({ role, passed }) => [role, passed]).sort()).toEqual([
    ["check", true],
    ["clerk", true],
  ]);
  expect(all.findIndex(({ type }) => type === "isolation_receipt")).toBeLessThan(
    all.findIndex(({ type }) => type === "red_check"),
  );
  const events = all.filter(({ type }) => type !== "isolation_receipt");
  expect(events.map(({ type }) => type)).toEqual([
    ...["session_start", "environment", "red_check", "base_suite", "seed_committed", "session_prepared"],
  ]);
  expect(events[1].payload).toMatchObject({ key: null, tree: null, dependencies: null, packages: 0 });
  expect(events[2].payload).toEqual({
    tree: events[3].payload.tree,
    at: "staging",
    opened: [],
    tests: {
      "tests/test_t001_answer.py::test_answer": "import",
      "tests/test_t002_answer.py::test_answer": "import",
      "tests/test_t002_answer.py::test_that_stands": "passed",
    },
  });
});

test("a base whose tests are no folder is refused before anything is made", async () => {
  await using odd = await CliStage.open();
  const inside = { cwd: odd.source };
  symlinkSync("pkg", join(odd.source, "tests"));
  await git(["add", "tests"], inside);
  await git(["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "link"], inside);
  const before = await odd.traces();
  const { code, stderr } = await odd.tilth.run(["seed", odd.source, "--from", odd.seed]);
  expect(code).toBe(2);
  expect(stderr).toContain("'tests' of");
  expect(await odd.traces()).toEqual(before);
});
