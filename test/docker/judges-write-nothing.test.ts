import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { counterJudgement } from "../../runner/checks/counter.js";
import { judgementOf } from "../../runner/checks/judgement.js";
import type { CheckRequest } from "../../runner/hands/ports/checks/checks.js";
import { CheckWorld, type Files, never, requestOf } from "../helpers/check-world.js";
import { Environment } from "../helpers/environment.js";
import { checksIn, sharedChecks } from "../helpers/shared-checks.js";

const path = "tests/test_t001_it.py";
const { world, checks } = await sharedChecks();
const naive = ["sh", "-c", "ruff check -q . ; python -m pytest -q -p no:cacheprovider tests"];

interface Case {
  readonly base: Files;
  /** the task's change to it */
  readonly change: Files;
  readonly test: string;
  readonly more?: Partial<CheckRequest>;
}

async function judged({ base, change, test: source, more }: Case, places = { world, checks }) {
  const staged = [{ path, source }];
  const before = { ...base, [path]: source };
  const last = await places.world.tree(before);
  const tree = await places.world.tree(change, before);
  const request = requestOf({ tree, last, staged, ...more });
  const judgement = judgementOf(await places.checks.run(request, never), request);
  return { tree, last, staged, judgement, told: JSON.stringify(judgement, null, 1) };
}

const calc = { "calc.py": "def is_big(number):\n    return number == 1000\n" };
const broken = { "calc.py": "def is_big(number):\n    return number is 1000\n" };
const big = 'from calc import is_big\n\n\ndef test_big():\n    assert is_big(int("1000"))\n';

describe("ruff", () => {
  const mending = { "ruff.toml": "fix = true\nfix-only = true\nunsafe-fixes = true\n\n[lint]\nselect = ['E', 'F']\n" };

  test("finds everything and mends nothing in a project that has it mend files", async () => {
    const cheat = await judged({ base: mending, change: broken, test: big });
    expect(await world.naively(cheat.tree, naive)).toMatchObject({ exit: 0 });
    expect(cheat.judgement.checks, cheat.told).toMatchObject([
      { name: "ruff", reason: "lint" },
      { name: "pytest", reason: "test_failed" },
    ]);
    expect(cheat.judgement.checks[0]?.output).toContain("calc.py:2: F632");
    const honest = await judged({ base: mending, change: calc, test: big });
    expect(honest.judgement, honest.told).toMatchObject({ passed: true, integrityNotes: [] });
  });

  describe("from the project's own environment", () => {
    const program = `#!/opt/tilth/env/bin/python
import json, os, pathlib, sys
if "--no-fix" not in sys.argv or "--isolated" in sys.argv:
    sys.exit("called as nobody should")
if os.path.exists("mend"):
    pathlib.Path("calc.py").write_text("def is_big(number):\\n    return number == 1000\\n")
    pathlib.Path("conftest.py").write_text("")
found = [{"filename": "/workspace/calc.py", "code": "OWN1", "message": "own", "location": {"row": 1}}]
calc = pathlib.Path("calc.py")
print(json.dumps(found if calc.exists() and "good" not in calc.read_text() else []))
`;
    let open: { readonly environment: Environment; readonly world: CheckWorld } | null = null;
    afterAll(async () => {
      await open?.world[Symbol.asyncDispose]();
      open?.environment[Symbol.dispose]();
    });

    test("is the ruff that runs, and a tree that it changes does not pass", async () => {
      const files = { "../../../bin/ruff": program };
      const environment = await Environment.of({ packages: [{ name: "ruff", version: "0.0.1", files }] });
      chmodSync(join(environment.folder, "bin", "ruff"), 0o755);
      open = { environment, world: await CheckWorld.open(environment.folder) };
      await using own = checksIn(open.world);
      const places = { world: open.world, checks: own };
      const base = { "ruff.toml": "show-source = true\n" };

      const found = await judged({ base, change: calc, test: big }, places);
      expect(found.judgement.checks[0], found.told).toMatchObject({ reason: "lint" });
      expect(found.judgement.checks[0]?.output).toContain("calc.py:1: OWN1 own");
      const honest = await judged({ base, change: { "calc.py": `# good\n${calc["calc.py"]}` }, test: big }, places);
      expect(honest.judgement, honest.told).toMatchObject({ passed: true });

      const mended = await judged({ base: { ...base, mend: "" }, change: broken, test: big }, places);
      expect(mended.judgement.checks.map(({ reason }) => reason)).toEqual(["lint", "test_failed", "tree_changed"]);
      const said = mended.judgement.checks[2]?.output;
      expect(said).toContain("calc.py was changed (ruff)");
      expect(said).toContain("conftest.py was added (ruff)");
    });
  });
});

describe("a run of tests", () => {
  const writing = (target: string, text: string) =>
    `import pathlib\n\nHERE = pathlib.Path(__file__).parent\n\n\ndef pytest_configure():\n    (HERE / "${target}").write_text(${JSON.stringify(text)})\n`;

  test("has judged another tree when it mends code before it imports it", async () => {
    const base = { "conftest.py": writing("calc.py", calc["calc.py"]) };
    const cheat = await judged({ base, change: broken, test: big });
    expect(await world.naively(cheat.tree, ["python", "-m", "pytest", "-q", "tests"])).toMatchObject({ exit: 0 });
    expect(
      cheat.judgement.checks.map(({ reason }) => reason),
      cheat.told,
    ).toEqual(["lint", null, "tree_changed"]);
    expect(cheat.judgement.checks[2]?.output).toContain("calc.py was changed (pytest)");
    const honest = await judged({ base, change: calc, test: big });
    expect(honest.judgement, honest.told).toMatchObject({ passed: true, integrityNotes: [] });
  });

  test("has judged nothing when it updates a snapshot of the task, and passes when the snapshot is committed as made", async () => {
    const base = { "conftest.py": writing("tests/snap.txt", "1000") };
    const source = `${big}\n\ndef test_snapshot():\n    import pathlib\n\n    assert pathlib.Path(__file__).with_name("snap.txt").read_text() == "1000"\n`;
    const stale = await judged({ base, change: { ...calc, "tests/snap.txt": "999" }, test: source });
    expect(await world.naively(stale.tree, ["python", "-m", "pytest", "-q", "tests"])).toMatchObject({ exit: 0 });
    expect(stale.judgement.checks.at(-1), stale.told).toMatchObject({ reason: "tree_changed" });
    const honest = await judged({ base, change: { ...calc, "tests/snap.txt": "1000" }, test: source });
    expect(honest.judgement, honest.told).toMatchObject({ passed: true });
  });

  test("may rewrite a file and put it back, write data that the task leaves alone, and leave files of its own", async () => {
    const base = {
      "conftest.py": writing("log/last-run.txt", "now"),
      "log/last-run.txt": "then",
      "data.py": "A = 1\n",
    };
    const source = `${big}\n\ndef test_rewrites(tmp_path):\n    import pathlib\n\n    data = pathlib.Path("data.py")\n    before = data.read_text()\n    data.write_text("A = 2\\n")\n    pathlib.Path("made.py").write_text("B = 1\\n")\n    assert data.read_text() != before\n    data.write_text(before)\n`;
    const honest = await judged({ base, change: calc, test: source });
    expect(honest.judgement, honest.told).toMatchObject({ passed: true });
    expect(honest.judgement.integrityNotes).toContain("while the tests ran, log/last-run.txt was changed (pytest)");
  });

  test("has judged another tree when it deletes a file of the code, also in the tests that a task adds", async () => {
    const added = "import pathlib\n\n\ndef test_own():\n    pathlib.Path('old.py').unlink()\n";
    const base = { "old.py": "A = 1\n" };
    const change = { ...calc, "tests/test_own.py": added };
    const cheat = await judged({ base, change, test: big, more: { added: ["tests/test_own.py"] } });
    expect(
      cheat.judgement.checks.map(({ name, reason }) => [name, reason]),
      cheat.told,
    ).toEqual([
      ...[
        ["ruff", null],
        ["pytest", null],
        ["added_tests", null],
      ],
      ["tree", "tree_changed"],
    ]);
    expect(cheat.judgement.checks[3]?.output).toContain("old.py was deleted (added_tests)");
  });
});

test("a counter-check whose own run fails does not pass, even when it catches nothing", async () => {
  // a wrong answer that the counter-check would not draw in place of the right one
  const source = "from calc import double\n\n\ndef test_double():\n    assert double(500) == 1000\n";
  const doubling = (by: number) => ({ "calc.py": `def double(number):\n    return number * ${by}\n` });
  const { tree, staged } = await judged({ base: {}, change: doubling(0), test: source });
  const sites = [`${path}:5:4`];
  const request = { tree, staged, sites, reached: { [`${path}::test_double`]: sites }, budgetMs: 60_000 };
  const counter = await checks.counter(request, never);
  expect(counter.caught).toEqual([]);
  expect(counter.failedAgain).toContain(`${path}::test_double: `);
  expect(counterJudgement(counter)).toMatchObject({ passed: false, reason: "passed_once" });
  const honest = await judged({ base: {}, change: doubling(2), test: source });
  const again = await checks.counter({ ...request, tree: honest.tree }, never);
  expect(counterJudgement(again)).toMatchObject({ passed: true });
});
