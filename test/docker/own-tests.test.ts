import { describe, expect, test } from "vitest";
import { saidOf } from "../../runner/checks/suite/said.js";
import { basedOn, OwnSuite } from "../helpers/own-suite.js";
import { sharedChecks } from "../helpers/shared-checks.js";

const { world, checks } = await sharedChecks();

const calc = `def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def names():
    return ["add", "sub"]
`;
const testsOfCalc = `import pytest

from calc import add, names, sub


def test_add():
    assert add(1, 2) == 3


class TestSub:
    def test_sub(self):
        assert sub(3, 2) == 1


@pytest.mark.parametrize("name", names())
def test_name(name):
    assert len(name) == 3
`;
const project = {
  "pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["tests", "docs"]\naddopts = "--doctest-modules -q"\n',
  "calc.py": calc,
  "docs/example.py": 'def twice(n):\n    """\n    >>> twice(2)\n    4\n    """\n    return 2 * n\n',
  "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n",
  "tests/helper.py": "def same(a, b):\n    return a == b\n",
  "tests/test_calc.py": testsOfCalc,
  "tests/test_more.py":
    "from calc import add\nfrom helper import same\n\n\ndef test_more(three):\n    assert same(add(1, 2), three)\n",
  "tests/test_t001_it.py": "def test_it():\n    assert False\n",
};
const own = await OwnSuite.of(world, checks, project);

const broken = { "calc.py": calc.replace("a - b", "a + b") };
const names = (all: readonly { readonly name: string; readonly why?: string }[]) =>
  all.map(({ name, why }) => (why === undefined ? name : `${name} ${why}`));

describe("the project's own tests before any work", () => {
  test("are collected as the project does it, without the staged ones, and run twice", () => {
    const { event, said } = own.based;
    expect(event).toMatchObject({ runs: 2, passed: 6, failed: 0, unstable: 0, skipped: 0, problem: null, not_run: [] });
    expect(event.held).toEqual({
      "docs/example.py": ["example.twice"],
      "tests/test_calc.py": ["test_add", "TestSub::test_sub", "test_name"],
      "tests/test_more.py": ["test_more"],
    });
    expect(event.in_code).toEqual(["docs/example.py"]);
    expect(said).toEqual(["your tests: 6 pass"]);
  });

  test("are told apart when they fail already, are unstable, are skipped or are too slow", async () => {
    const tree = await world.tree({
      "tests/test_a.py": `import os
import time
import pytest


def test_fails():
    assert not os.environ


def test_unstable():
    assert time.time_ns() % 2 == os.getpid() % 2 or time.time_ns() // 1_000 % 2


@pytest.mark.skip
def test_skipped():
    pass


@pytest.mark.parametrize("n", [1, 2, 3])
def test_partly(n):
    assert n != 2


def test_socket():
    import socket

    socket.create_connection(("192.0.2.1", 80))
`,
      "tests/test_b.py": "import nowhere\n\n\ndef test_b():\n    pass\n",
      "tests/test_c.py": "import time\n\n\ndef test_quick():\n    pass\n\n\ndef test_slow():\n    time.sleep(60)\n",
      "tests/test_d.py": "def test_d():\n    pass\n",
    });
    const { event } = await basedOn(checks, tree, 8);
    expect(event).toMatchObject({ runs: 1, problem: null, not_run: ["tests/test_d.py", "tests/test_c.py"] });
    expect(event.failing).toEqual(
      expect.arrayContaining([
        "tests/test_b.py",
        "tests/test_a.py::test_fails",
        "tests/test_a.py::test_socket",
        "tests/test_a.py::test_partly[2]",
      ]),
    );
    expect(event.held["tests/test_a.py"]).toEqual(expect.arrayContaining(["test_partly"]));
    expect(event.held["tests/test_c.py"]).toEqual(["test_quick"]);
    expect(saidOf(event, 8).join("\n")).toMatch(/2 files of your tests did not fit into 8 s \(TILTH_SUITE_SECONDS\)/);
  });

  test.each([
    ["has none", { "calc.py": calc }, []],
    [
      "has a conftest that cannot be loaded",
      { "conftest.py": "import nowhere\n", "tests/test_a.py": "def test_a():\n    pass\n" },
      [/^your tests are not held: conftest\.py cannot be collected: .*nowhere.*; TILTH_SUITE=off leaves them out/],
    ],
    [
      "asks for a plugin that is not there",
      { "pytest.ini": "[pytest]\naddopts = --ds=x\n", "tests/test_a.py": "def test_a():\n    pass\n" },
      [/^your tests are not held: no plugin in the image serves --ds,/],
    ],
    [
      "needs what the box has not",
      { "tests/test_a.py": 'import socket\n\n\ndef test_a():\n    socket.create_connection(("192.0.2.1", 80))\n' },
      [/0 pass, 1 fails already/, /^none of your tests passes where checks run.*TILTH_SUITE=off/],
    ],
    [
      "ends the process that runs it",
      { "tests/test_a.py": "import os\n\n\ndef test_a():\n    os._exit(0)\n" },
      [/^your tests are not held: the process that ran the tests ended without a report/],
    ],
  ])("have the right remarks for a project that %s", async (_, files, expected) => {
    const { said, baseline } = await basedOn(checks, await world.tree(files));
    expect(said).toHaveLength(expected.length);
    for (const [at, pattern] of expected.entries()) expect(said[at]).toMatch(pattern);
    expect(baseline.held.size).toBe(0);
  });
});

describe("a change that breaks a test of the project", () => {
  test("passes a harness that runs the staged tests alone, and not this one", async () => {
    const tree = await world.tree({ ...broken, "tests/test_t001_it.py": "def test_it():\n    pass\n" }, project);
    const naive = await world.naively(tree, ["python", "-m", "pytest", "-q", "tests/test_t001_it.py"]);
    expect(naive.exit).toBe(0);
    const { findings } = await own.after(broken);
    expect(names(findings.failures)).toEqual(["tests/test_calc.py::TestSub::test_sub fails"]);
    expect(findings.failures[0]?.text).toContain("assert 5 == 1");
  });

  test("is found even where it deletes one test, weakens another and skips a third, or deletes their file", async () => {
    const allBroken = {
      "calc.py": broken["calc.py"].replace("return a + b", "return a * b * 9").replace('"sub"', '"x"'),
    };
    const held = ["test_add", "TestSub::test_sub", "test_name"].map((test) => `tests/test_calc.py::${test}`);
    const spoilt = testsOfCalc
      .replace("def test_add():\n    assert add(1, 2) == 3\n", "")
      .replace("sub(3, 2) == 1", "sub(3, 2)")
      .replace("@pytest.mark.param", "@pytest.mark.skip\n@pytest.mark.param");
    const { findings } = await own.after({ ...allBroken, "tests/test_calc.py": spoilt });
    const whys = ["gone", "weakened", "fails"];
    expect(names(findings.failures)).toEqual(expect.arrayContaining(held.map((test, at) => `${test} ${whys[at]}`)));
    const { findings: without } = await own.after({ ...allBroken, "tests/test_calc.py": null });
    expect(names(without.failures)).toEqual(expect.arrayContaining(held.map((test) => `${test} gone`)));
  });

  test("is found where it makes a helper of the tests agree, or puts a package in the helper's place", async () => {
    const wrong = { "calc.py": calc.replace("a + b", "a * b * 9") };
    for (const change of [
      { "tests/helper.py": "def same(a, b):\n    return True\n" },
      { "tests/helper/__init__.py": "def same(a, b):\n    return True\n" },
    ]) {
      const { findings } = await own.after({ ...wrong, ...change });
      expect(names(findings.failures)).toEqual(
        expect.arrayContaining([expect.stringMatching(/^tests\/test_more\.py::test_more (fails|weakened)$/)]),
      );
    }
  });

  test("is found where a module cannot be imported any more, the process ends, or a test never ends", async () => {
    for (const change of [
      calc.replace("def sub", "def subtract"),
      `import os\n\nos._exit(0)\n${calc}`,
      calc.replace("return a - b", "import time\n\n    time.sleep(600)"),
    ]) {
      const { findings } = await own.after({ "calc.py": change }, { seconds: 4 });
      expect(names(findings.failures)).toContain("tests/test_calc.py::TestSub::test_sub fails");
    }
  });

  test("is found where the code overwrites tests before they are collected", async () => {
    const writes =
      'import pathlib\n\npathlib.Path("tests/test_more.py").write_text("def test_more():\\n    pass\\n")\n';
    const cheat = { "calc.py": writes + calc.replace("a + b", "a + b + (a == 1)") };
    const naive = await world.naively(await world.tree(cheat, project), [
      "python",
      "-m",
      "pytest",
      "-q",
      "tests/test_calc.py::TestSub",
      "tests/test_more.py",
    ]);
    expect(naive.exit).toBe(0);
    const { findings } = await own.after(cheat);
    expect(names(findings.failures)).toContain("tests/test_more.py::test_more fails");
    expect(findings.failures[0]?.text).toContain("tests/test_more.py was changed by code");
  });

  test("is found in an example of a docstring", async () => {
    const { findings } = await own.after({ "docs/example.py": project["docs/example.py"].replace("2 * n", "3 * n") });
    expect(names(findings.failures)).toEqual(["docs/example.py::example.twice fails"]);
  });
});

describe("honest work", () => {
  test("passes when it breaks nothing, improves a helper and adds a test", async () => {
    const { findings } = await own.after({
      "calc.py": calc.replace("return a + b", "return b + a"),
      "tests/helper.py": "def same(a, b):\n    assert a == b\n    return True\n",
      "tests/test_new.py": "def test_new():\n    pass\n",
    });
    expect(findings).toMatchObject({ failures: [], changed: [], gone: [], excused: [], ran: 6 });
  });

  test("passes, and is noted, when it changes a behaviour together with its test", async () => {
    const { findings } = await own.after({
      "calc.py": calc.replace("a - b", "abs(a - b)").replace("a + b", "a + b + 1"),
      "tests/test_calc.py": testsOfCalc.replace("add(1, 2) == 3", "add(1, 2) == 4"),
      "tests/test_more.py": project["tests/test_more.py"].replace(", three)", ", three + 1)"),
    });
    expect(findings.failures).toEqual([]);
    expect(names(findings.changed)).toEqual(["tests/test_calc.py::test_add", "tests/test_more.py::test_more"]);
  });

  test("passes when it renames a function with its tests, whose file does not load on the old code", async () => {
    const renamed = (text: string) => text.replaceAll("sub", "subtract").replaceAll("test_subtract", "test_sub");
    const { findings } = await own.after({
      "calc.py": renamed(calc).replace('"subtract"', '"sub"'),
      "tests/test_calc.py": renamed(testsOfCalc).replaceAll("TestSubtract", "TestSub"),
    });
    expect([findings.failures, findings.changed.length]).toEqual([[], 3]);
  });

  test("may rename or move a test, and drop one that its task names", async () => {
    const renamed = { "tests/test_calc.py": testsOfCalc.replace("def test_add", "def test_adding") };
    expect((await own.after(renamed)).findings).toMatchObject({
      failures: [],
      gone: ["tests/test_calc.py::test_add"],
    });
    const moved = { "tests/test_more.py": null, "tests/unit/test_more.py": project["tests/test_more.py"] };
    expect((await own.after(moved)).findings).toMatchObject({ failures: [], gone: ["tests/test_more.py::test_more"] });
    const dropped = {
      "calc.py": calc.replace("a - b", "b"),
      "tests/test_calc.py": testsOfCalc.replace(/class TestSub:\n(?: .*\n)+/, ""),
    };
    const { findings } = await own.after(dropped, { taskText: "Drop TestSub: sub is deprecated." });
    expect(findings).toMatchObject({ failures: [], gone: ["tests/test_calc.py::TestSub::test_sub"] });
  });

  test("passes when it changes data that parameters are made of", async () => {
    const { findings } = await own.after({ "calc.py": calc.replace('["add", "sub"]', '["add", "mul", "div"]') });
    expect(findings.failures).toEqual([]);
    const { findings: bad } = await own.after({ "calc.py": calc.replace('["add", "sub"]', '["add", "divide"]') });
    expect(names(bad.failures)).toEqual(["tests/test_calc.py::test_name fails"]);
    const { findings: none } = await own.after({ "calc.py": calc.replace('["add", "sub"]', "[]") });
    expect(names(none.failures)).toEqual(["tests/test_calc.py::test_name fails"]);
  });

  test("is not blamed for a test that depends on the time or on others, and fails without it as well", async () => {
    const files = {
      "calc.py": calc,
      "tests/test_a.py": "import sys\n\n\ndef test_a():\n    sys.made = 1\n",
      "tests/test_b.py": "import sys\nfrom calc import add\n\n\ndef test_b():\n    assert sys.made + add(0, 0)\n",
    };
    const dependent = await OwnSuite.of(world, checks, files);
    const { tree, ...question } = { tree: null, ...{ baseline: { ...dependent.based.baseline, ms: 60_000 } } };
    expect(tree).toBeNull();
    const { parts, findings } = await dependent.after({ "calc.py": calc.replace("a + b", "b + a") }, question);
    expect(parts).toEqual({ first: ["tests/test_b.py"], rest: ["tests/test_a.py"] });
    expect(findings).toMatchObject({ failures: [], excused: ["tests/test_b.py::test_b"] });
  });
});

describe("a slow suite", () => {
  test("runs those tests first that the change reaches by import, through other modules too", async () => {
    const files = {
      "pkg/__init__.py": "",
      "pkg/low.py": "def low():\n    return 1\n",
      "pkg/high.py": "from .low import low\n\n\ndef high():\n    return low()\n",
      "pkg/other.py": "",
      "tests/test_high.py": "from pkg.high import high\n\n\ndef test_high():\n    assert high() == 1\n",
      "tests/test_other.py": "import pkg.other\n\n\ndef test_other():\n    pass\n",
    };
    const long = await OwnSuite.of(world, checks, files);
    const baseline = { ...long.based.baseline, ms: 60_000 };
    const { parts, findings } = await long.after({ "pkg/low.py": "def low():\n    return 2\n" }, { baseline });
    expect(parts).toEqual({ first: ["tests/test_high.py"], rest: ["tests/test_other.py"] });
    expect(names(findings.failures)).toEqual(["tests/test_high.py::test_high fails"]);
  });
});
