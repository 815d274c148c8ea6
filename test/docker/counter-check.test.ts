import { expect, test } from "vitest";
import { counterJudgement, sitesInOrder } from "../../runner/checks/counter.js";
import { judgementOf } from "../../runner/checks/judgement.js";
import { ContainerChecks } from "../../runner/hands/roles/check/checks.js";
import { Zygote } from "../../runner/hands/roles/check/containers/zygote.js";
import { runPytest } from "../../runner/hands/roles/check/runs/test-run.js";
import { env, type Files, never, requestOf } from "../helpers/check-world.js";
import { callers, deep } from "../helpers/counter-callers.js";
import { meddling, raising } from "../helpers/counter-meddling.js";
import { honestValues, values } from "../helpers/counter-values.js";
import { oddities, works } from "../helpers/counter-work.js";
import { someOf } from "../helpers/every.js";
import { sharedChecks } from "../helpers/shared-checks.js";

const path = "tests/test_t001_it.py";
const { world, checks } = await sharedChecks();

async function counterChecked(source: string, files: Files, taskTexts: readonly string[] = []) {
  const staged = [{ path, source }];
  const tree = await world.tree({ [path]: source, ...files });
  const { facts } = await checks.red({ tree, run: [], read: staged, timeoutMs: 1_000 }, never);
  const request = requestOf({ tree, last: tree, staged });
  const report = await checks.run(request, never);
  const believed = judgementOf(report, request);
  const informed = judgementOf(report, { ...request, facts });
  const reached = report.pytest?.reached ?? {};
  const sites = sitesInOrder(facts, reached);
  const counter = await checks.counter({ tree, staged, sites, reached, taskTexts, budgetMs: 240_000 }, never);
  return { believed, informed, report, facts, sites, counter };
}

test.each([
  ...someOf(works, 26, ({ silent }) => silent),
  ...someOf(values, 15),
  ...someOf(meddling, 6),
  ...someOf(callers, 4),
])("$name passes whatever its assertions say, and is caught", async ({ test: source, cheat, honest, silent }) => {
  const tests = Object.fromEntries(Object.entries(honest).filter(([name]) => name.startsWith("tests/")));
  const cheated = await counterChecked(source, { ...tests, ...cheat });
  expect(cheated.believed, JSON.stringify(cheated.believed, null, 1)).toMatchObject({ passed: true });
  const told = JSON.stringify([cheated.counter, cheated.report.pytest?.reached], null, 1);
  if (silent)
    expect(cheated.informed.checks, told).toContainEqual(expect.objectContaining({ reason: "no_assertion_reached" }));
  else expect(counterJudgement(cheated.counter), told).toMatchObject({ passed: false, reason: "counter_check" });

  const meant = await counterChecked(source, honest);
  expect(meant.informed, JSON.stringify(meant.informed, null, 1)).toMatchObject({ passed: true });
  expect(meant.counter).toMatchObject({ caught: [], leftOut: [], failedAgain: null, reached: meant.sites });
  expect(meant.sites).not.toEqual([]);
});

test.each([...someOf(oddities, 6), ...someOf(honestValues, 5), ...raising, ...deep])(
  "nothing is caught in honest code: $name",
  async ({ test: source, files }) => {
    const found = await counterChecked(source, files ?? {});
    expect(found.informed, JSON.stringify(found.informed, null, 1)).toMatchObject({ passed: true });
    expect(found.counter.caught, JSON.stringify(found.counter, null, 1)).toEqual([]);
    expect(found.counter.reached).not.toEqual([]);
  },
);

test("a wildcard is caught, unless the task's own text asks for it by name", async () => {
  const source =
    'from calc import AnyText, Every\n\n\ndef test_it():\n    assert AnyText() == "abc"\n    assert isinstance(3, Every)\n    assert all(each == "x" for each in [AnyText(), "x"])\n';
  const files = {
    "calc.py":
      "class AnyText:\n    def __eq__(self, other):\n        return isinstance(other, str)\n\n\nclass EveryType(type):\n    def __instancecheck__(cls, value):\n        return True\n\n\nclass Every(metaclass=EveryType):\n    pass\n",
  };
  const lines = ({ counter }: Awaited<ReturnType<typeof counterChecked>>) =>
    [...new Set(counter.caught.map(({ site }) => Number(site.split(":")[1])))].sort();
  expect(lines(await counterChecked(source, files, ["AnyText is a text."]))).toEqual([5, 6, 7]);
  const text = "AnyText equals every text, and everything is an instance of Every.";
  const asked = await counterChecked(source, files, [text]);
  expect(lines(asked)).toEqual([]);
  expect(asked.counter.leftOut).toEqual([
    { site: `${path}:5:4`, why: "the task asks for a value that agrees with everything" },
  ]);
});

test("code under test that rewrites the tests or patches their compiler comes too late", async () => {
  const tests: Readonly<Record<string, string>> = {
    "tests/helper.py": "def same(left, right):\n    assert left == right\n",
    [path]: "from calc import add\n\n\ndef test_add():\n    from helper import same\n\n    same(add(2, 3), 5)\n",
    "tests/test_t002_sub.py": "from calc import add\n\n\ndef test_sub():\n    assert add(3, -1) == 2\n",
  };
  const cheat = `import ast
import pathlib

pathlib.Path("tests/helper.py").write_text("def same(*_): pass")
pathlib.Path("tests/test_t002_sub.py").write_text("def test_sub(): pass")
try:
    from _pytest.assertion.rewrite import AssertionRewriter

    AssertionRewriter.visit_Assert = lambda *_: [ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)]
except ImportError:
    pass


def add(a, b):
    return 0
`;
  const tree = await world.tree({ ...tests, "calc.py": cheat });
  expect(await world.naively(tree, ["python", "-m", "pytest", "-q", "tests"])).toMatchObject({ exit: 0 });
  const staged = [path, "tests/test_t002_sub.py"].map((each) => ({ path: each, source: tests[each] ?? "" }));
  const { pytest } = await checks.run(requestOf({ tree, last: tree, staged }), never);
  expect(pytest?.results.map(({ outcome }) => outcome)).toEqual(["failed", "failed"]);
});

test("own tests, counter-check and the next red check use the container of the run, which serves no other tree", async () => {
  await using own = new ContainerChecks(world.start, env);
  const source = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n    assert add(1, 1) == 2\n";
  const staged = [{ path, source }];
  const tree = await world.tree({ [path]: source, "calc.py": "def add(a, b):\n    return a + b\n" });
  const before = world.started;
  const { pytest } = await own.run(requestOf({ tree, last: tree, staged }), never);
  const reached = pytest?.reached ?? {};
  const sites = [`${path}:5:4`, `${path}:6:4`, "tests/test_t001_it.py:9:9"];
  {
    await using suite = own.suite(tree);
    const { results } = await suite.run({ tree, files: [path], leftOut: [], budgetMs: 60_000 }, never);
    expect(results.map(({ outcome }) => outcome)).toEqual(["passed"]);
  }
  const first = await own.counter({ tree, staged, sites, reached, budgetMs: 240_000 }, never);
  const { runs } = await own.red({ tree, run: staged, read: [], timeoutMs: 60_000 }, never);
  expect(runs.map((each) => each.pytest.results.map(({ outcome }) => outcome))).toEqual([["passed"]]);
  expect(world.started - before).toBe(1);
  expect(first).toMatchObject({ reached: sites.slice(0, 2), caught: [] });
  expect(first.leftOut).toEqual([{ site: sites[2], why: "not reached" }]);
  const other = await world.tree({ [path]: source, "calc.py": "def add(a, b):\n    return b + a\n" });
  await own.run(requestOf({ tree: other, last: tree, staged }), never);
  expect(world.started - before).toBe(2);
  const second = await own.counter({ tree, staged, sites, reached, budgetMs: 0 }, never);
  expect(second.leftOut.map(({ why }) => why)).toEqual(["no time was left", "no time was left", "not reached"]);
});

test("a container that also ran tests on the last accepted tree is not used again", async () => {
  await using own = new ContainerChecks(world.start, env);
  const source = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n";
  const staged = [{ path, source }];
  const old = "def test_old():\n    assert False\n";
  const before = { [path]: source, "tests/test_old.py": old, "calc.py": "def add(a, b):\n    return 0\n" };
  const changed = ["tests/test_old.py"];
  const last = await world.tree(before);
  const more = { "tests/test_old.py": `${old}\n\ndef test_more():\n    assert True\n` };
  const tree = await world.tree({ ...more, "calc.py": "def add(a, b):\n    return a + b\n" }, before);
  const started = world.started;
  const report = await own.run(requestOf({ tree, last, staged, added: changed, changed }), never);
  expect(report.ownBefore?.results.map(({ outcome }) => outcome)).toEqual(["failed"]);
  const reached = report.pytest?.reached ?? {};
  const sites = [`${path}:5:4`];
  const counted = await own.counter({ tree, staged, sites, reached, budgetMs: 240_000 }, never);
  expect(counted).toMatchObject({ reached: sites, caught: [] });
  expect(world.started - started).toBe(2);
});

test("code that kills its container when it runs again is noted as failing then, after a second try of each run", async () => {
  await using own = new ContainerChecks(world.start, env);
  const source = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n";
  const staged = [{ path, source }];
  const tree = await world.tree({
    [path]: source,
    "calc.py": "import os\n\n\ndef add(a, b):\n    os.kill(os.getppid(), 9)\n",
  });
  const before = world.started;
  const sites = [`${path}:5:4`];
  const reached = { [`${path}::test_add`]: sites };
  const report = await own.counter({ tree, staged, sites, reached, budgetMs: 240_000 }, never);
  expect(report).toMatchObject({ caught: [], failedAgain: "the container was lost" });
  expect(report.leftOut.map(({ site }) => site)).toEqual([`${path}:5:4`]);
  // the run with nothing made false comes before, between or after the false one and the one that asks
  expect([2, 4, 6]).toContain(world.started - before);
});

test("code that leaves behind what its next run stumbles over is judged in separate containers", async () => {
  await using own = new ContainerChecks(world.start, env);
  const source = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n";
  const staged = [{ path, source }];
  const stumbling = `import os

if os.stat("/tmp").st_mode & 0o2000:
    raise OSError("in use")
os.chmod("/tmp", 0o3777)


def add(a, b):
    return a + b
`;
  const tree = await world.tree({ [path]: source, "calc.py": stumbling });
  const { pytest } = await own.run(requestOf({ tree, last: tree, staged }), never);
  const reached = pytest?.reached ?? {};
  const sites = [`${path}:5:4`];
  const report = await own.counter({ tree, staged, sites, reached, budgetMs: 240_000 }, never);
  expect(report).toMatchObject({ reached: sites, caught: [], leftOut: [], failedAgain: null });
});

test.each([
  ["", "def read(path):\n    return open(path).read()\n"],
  [
    " though the project calls them otherwise",
    "class Path(str):\n    def startswith(self, *_):\n        return False\n\n    def endswith(self, *_):\n        return True\n\n\ndef read(path):\n    return open(Path(path)).read()\n",
  ],
])("files that the tests read are reported%s", async (_, reader) => {
  const source =
    "import json\nimport pathlib\n\nfrom calc import read\nfrom helper import NAME\n\nHERE = pathlib.Path(__file__).parent\n\n\ndef test_it():\n    assert json.loads(read(HERE / NAME)) == 5\n    (HERE / 'out.txt').write_text('x')\n    assert (HERE / 'out.txt').read_text() == 'x'\n";
  const files = {
    [path]: source,
    "tests/helper.py": "NAME = 'data/five.json'\n",
    "calc.py": reader,
    "tests/data/five.json": "5",
    "tests/other.txt": "",
  };
  const tree = await world.tree(files);
  const container = await world.share();
  const zygote = new Zygote(container, env);
  await zygote.start(never);
  await container.call("fresh", { tree }, { signal: never, timeoutMs: 60_000 });
  const run = {
    files: [path],
    expected: [],
    staged: [{ path, source }],
    watch: true,
    timeoutMs: 60_000,
    signal: never,
  };
  const { report } = await runPytest(zygote, run);
  expect(report.results).toMatchObject([{ outcome: "passed" }]);
  expect(report.opened).toEqual(["tests/data/five.json", "tests/helper.py"]);
});
