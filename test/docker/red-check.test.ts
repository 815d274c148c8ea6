import { describe, expect, test } from "vitest";
import { type RedFile, redOf } from "../../runner/checks/red.js";
import type { RedReport } from "../../runner/hands/ports/checks/checks.js";
import { ContainerChecks } from "../../runner/hands/roles/check/checks.js";
import { stagingProblem } from "../../runner/seed/staging-problem.js";
import { stagingRemarks } from "../../runner/seed/staging-remarks.js";
import { env, type Files, never } from "../helpers/check-world.js";
import { sharedChecks } from "../helpers/shared-checks.js";

const path = "tests/test_t001_it.py";

const { world, checks } = await sharedChecks();

interface RedTrial {
  readonly report: RedReport;
  readonly file: RedFile;
  readonly problem: string | null;
}

async function tryOut(source: string, files: Files = {}, timeoutMs = 60_000): Promise<RedTrial> {
  const tree = await world.tree({ "pkg/__init__.py": "VALUE = 1\n", ...files, [path]: source });
  const report = await checks.red({ tree, run: [{ path, source }], read: [], timeoutMs }, never);
  const [file] = redOf(report);
  if (!file) throw new Error("the file was not tried");
  return { report, file, problem: stagingProblem(report) };
}

const it = `${path}::test_it`;

test("a test that kills its container is not red, and the facts of its file are reported all the same", async () => {
  await using own = new ContainerChecks(world.start, env);
  const source = "import os\n\n\ndef test_it():\n    os.kill(os.getppid(), 9)\n    assert False\n";
  const tree = await world.tree({ [path]: source });
  const report = await own.red({ tree, run: [{ path, source }], read: [], timeoutMs: 60_000 }, never);
  expect(report.facts[0]?.tests.map(({ id }) => id)).toEqual([it]);
  expect(redOf(report)[0]).toMatchObject({ tests: { [it]: "died" }, ranIds: [], allGreen: false });
  expect(stagingProblem(report)).toMatch(/ended the process that ran it/);
});

describe("a test", () => {
  const rows: readonly (readonly [string, string, Record<string, string>, Files?])[] = [
    ["by its assertion", "import pkg\n\n\ndef test_it():\n    assert pkg.VALUE == 2\n", { [it]: "assertion" }],
    ["by an import of its file", "from pkg import new\n\n\ndef test_it():\n    assert new\n", { [it]: "import" }],
    ["by an import inside", "def test_it():\n    from pkg import new\n\n    assert new\n", { [it]: "import" }],
    [
      "by what its file does first",
      "import pkg\n\npkg.new()\n\n\ndef test_it():\n    assert pkg\n",
      { [it]: "collection" },
    ],
    ["by another error", "import pkg\n\n\ndef test_it():\n    assert pkg.new()\n", { [it]: "error" }],
    ["for want of a fixture", "def test_it(a_new_fixture):\n    assert a_new_fixture\n", { [it]: "setup" }],
    [
      "by a plugin that the task is to make",
      'pytest_plugins = ["pkg.fixtures"]\n\n\ndef test_it(new):\n    assert new\n',
      { [it]: "import" },
    ],
    [
      "by a file that fails by itself",
      "import pytest\n\nimport pkg\n\nif not hasattr(pkg, 'new'):\n    pytest.fail('later')\n\n\ndef test_it():\n    assert pkg\n",
      { [it]: "collection" },
    ],
    [
      "by one of its parameters",
      'import pytest\n\n\n@pytest.mark.parametrize("n", [1, 2])\ndef test_it(n):\n    assert n == 1\n',
      { [`${it}[1]`]: "passed", [`${it}[2]`]: "assertion" },
    ],
    [
      "by a conftest that wants what is to be made",
      "def test_it():\n    assert True\n",
      { [it]: "import" },
      { "tests/conftest.py": "from pkg.new import fixture\n\nUSED = fixture\n" },
    ],
  ];
  test.each(rows.map(([is, ...row]) => ({ is, row })))("is red $is", async ({ row: [source, tests, files] }) => {
    const { file, problem } = await tryOut(source, files);
    expect([file.tests, problem]).toEqual([tests, null]);
    expect(file).toMatchObject({ green: [], allGreen: false });
  });

  test("is red beside one that its own file leaves out, whatever the project is", async () => {
    const { file, problem } = await tryOut(
      'import sys\n\nimport pytest\n\n\n@pytest.mark.skipif(sys.platform == "linux", reason="elsewhere")\ndef test_it():\n    assert False\n\n\ndef test_red():\n    assert False\n',
    );
    expect(problem).toBeNull();
    expect(file.tests).toEqual({ [it]: "left_out", [`${path}::test_red`]: "assertion" });
    expect(file.ranIds).toEqual([`${path}::test_red`]);
  });
});

test("a set of parameters that the file leaves out is left out, and one that depends on the project is not", async () => {
  const source = (mark: string) =>
    `import pkg\nimport pytest\n\n\n@pytest.mark.parametrize("n", [1, pytest.param(2, marks=${mark})])\n@pytest.mark.parametrize("m", ["a", "b"])\ndef test_it(n, m):\n    assert n == pkg.VALUE + 1\n`;
  const { file, problem, report } = await tryOut(source("pytest.mark.xfail(strict=False)"));
  const left = ["a-2", "b-2"].map((set) => `${it}[${set}]`);
  expect(problem).toBeNull();
  expect(report.facts[0]?.tests).toMatchObject([{ alwaysLeftOut: false, leftOutIds: left }]);
  expect(file.tests).toEqual({
    [`${it}[a-1]`]: "assertion",
    [`${it}[b-1]`]: "assertion",
    ...Object.fromEntries(left.map((id) => [id, "left_out"])),
  });
  expect((await tryOut(source("[pytest.mark.skipif(pkg.VALUE == 1, reason='')]"))).problem).toMatch(
    /test_it .* is skipped/,
  );
});

describe("a test that is not red", () => {
  const waiting = "a test that waits";
  const red = "def test_it():\n    assert False\n";

  const rows: readonly (readonly [string, string, RegExp, Files?])[] = [
    ["a syntax error", "def test_it(:\n    pass\n", /test_t001_it\.py \(T-001\) cannot be run: line 1: /],
    [
      "a dependency that the image lacks",
      "import requests\n\n\ndef test_it():\n    assert requests\n",
      /requests is not in the image; the project declares requests>=2: use an image that has it \(TILTH_SANDBOX_IMAGE\)/,
      { "pyproject.toml": '[project]\nname = "pkg"\ndependencies = ["requests>=2"]\n' },
    ],
    [
      "a dependency of another name that the project imports",
      "from pkg import part\n\n\ndef test_it():\n    assert part\n",
      /yaml is not in the image; the project declares PyYAML==6/,
      { "pkg/part.py": "import yaml\n\nUSED = yaml\n", "requirements.txt": "PyYAML==6  # for part\n" },
    ],
    ["a plugin's option", red, /no plugin in the image serves --asyncio-mode/, ini("addopts = --asyncio-mode=auto")],
    ["a plugin's fixture", "def test_it(mocker):\n    assert mocker\n", /wants mocker, a fixture of pytest-mock/],
    ["a plugin for coroutines", "async def test_it():\n    assert False\n", /test_it is an async def/],
    ["usage", red, /pytest does not start: .*minimum_version|pytest does not start: .*99/i, ini("minversion = 99")],
    ["a broken conftest", red, /pytest does not start: .*ZeroDivisionError/, { "tests/conftest.py": "1 / 0\n" }],
    [
      "a plugin that the file asks for",
      `pytest_plugins = ["pytest_mock"]\n\n\n${red}`,
      /the plugin pytest_mock is not in the image/,
    ],
    [
      "a plugin that the file imports",
      "from pytest_mock import MockerFixture\n\n\ndef test_it():\n    assert MockerFixture\n",
      /the plugin pytest_mock is not in the image/,
    ],
    ["parameters of other names", marked('parametrize("m", [1])', "n"), /whatever the project is: .* no argument 'm'/],
    ["too few parameters", marked('parametrize("n, m", [(1,)])', "n, m"), /number of names \(2\)/],
    ["parameters twice", marked('parametrize("n", [1])\n@pytest.mark.parametrize("n", [2])', "n"), /duplicate/],
    ["a test that yields", "def test_it():\n    yield\n    assert False\n", /'yield' keyword/],
    ["a mark that is not registered", marked("mine", ""), /'mine' not found/, ini("addopts = --strict-markers")],
    ["tests that the project leaves out", red, /leaves .*::test_it out/, ini("addopts = -k nothing")],
    [waiting, "def test_it():\n    while True:\n        pass\n", /did not end in time/],
  ];
  test.each(rows.map(([is, ...row]) => ({ is, row })))(
    "is refused naming what is missing: $is",
    async ({ row: [source, says, files], is }) => {
      const tried = await tryOut(source, files, is === waiting ? 1_500 : 60_000);
      expect(tried.problem).toMatch(says);
      expect(tried.problem).toContain("(T-001)");
    },
  );

  test("fails by the exit status alone, except the one that waits", async () => {
    const ending = rows.filter(([is]) => is !== waiting);
    const exits = await world.naivelyEach([
      { [path]: "def test_it():\n    assert True\n" },
      ...ending.map(([, source, , files = {}]) => ({ "pkg/__init__.py": "VALUE = 1\n", ...files, [path]: source })),
    ]);
    expect(exits).toHaveLength(1 + ending.length);
    expect(exits.map((exit) => exit === 0)).toEqual([true, ...ending.map(() => false)]);
  });

  test.each<readonly [string, string, RegExp]>([
    [
      "a test that passes",
      "def test_it():\n    assert True\n",
      /test_it \(T-001\) passes already.*keep-green: <reason>/,
    ],
    [
      "a test that passes beside a red one",
      `${red}\n\ndef test_two():\n    assert True\n`,
      /test_two \(T-001\) passes/,
    ],
    [
      "a test skipped for what the project is",
      'import pytest\n\nimport pkg\n\n\n@pytest.mark.skipif(not hasattr(pkg, "new"), reason="later")\ndef test_it():\n    assert False\n',
      /test_it \(T-001\) is skipped or expected to fail for what the project is/,
    ],
    [
      "a test skipped until the project has a file",
      'import os\n\nimport pytest\n\n\n@pytest.mark.skipif(not os.path.exists("pkg/new.py"), reason="later")\ndef test_it():\n    assert False\n',
      /test_it \(T-001\) is skipped/,
    ],
    [
      "a file that skips itself",
      'import pytest\n\npytest.skip("no", allow_module_level=True)\n\n\ndef test_it():\n    assert False\n',
      /leaves .*test_it out/,
    ],
    [
      "nothing but tests left out",
      "import pytest\n\n\n@pytest.mark.skip\ndef test_it():\n    assert False\n",
      /has no test that runs/,
    ],
    ["no test at all", "VALUE = 1\n", /has no test that could be told/],
    [
      "keep-green that fails",
      'def test_it():\n    """keep-green: it counts"""\n    assert False\n',
      /says keep-green and does not pass/,
    ],
    ["keep-green without a reason", '"""keep-green:"""\n\n\ndef test_it():\n    assert True\n', /passes already/],
  ])("is refused: %s", async (_, source, says) => {
    expect((await tryOut(source)).problem).toMatch(says);
  });
});

test("keep-green in a module holds for all its tests, and in a function for that test alone", async () => {
  const pass = "def test_it():\n    assert True\n";
  const whole = await tryOut(`"""What must stay.\n\nkeep-green: the behaviour from before\n"""\n\n\n${pass}`);
  expect(whole).toMatchObject({
    problem: null,
    file: { green: [], red: [], allGreen: true, tests: { [it]: "passed" } },
  });
  const one = await tryOut(
    'def test_it():\n    """keep-green: from before"""\n    assert True\n\n\ndef test_red():\n    assert False\n',
  );
  expect(one).toMatchObject({ problem: null, file: { green: [], red: [`${path}::test_red`], allGreen: false } });
});

test("files are run one by one, each on a tree that no other has touched", async () => {
  const spoiling =
    'from pathlib import Path\n\n\ndef test_it():\n    Path("pkg/new.py").write_text("x = 1")\n    assert False\n';
  const wanting = "def test_it():\n    from pkg import new\n\n    assert new\n";
  const run = [spoiling, wanting].map((source, at) => ({ path: `tests/test_t00${at + 1}_it.py`, source }));
  const tree = await world.tree({
    "pkg/__init__.py": "",
    ...Object.fromEntries(run.map((one) => [one.path, one.source])),
  });
  const done: number[] = [];
  const report = await checks.red(
    { tree, run, read: [], timeoutMs: 60_000, onRun: (count) => done.push(count) },
    never,
  );
  expect(redOf(report).map(({ red }) => red)).toEqual(run.map((one) => [`${one.path}::test_it`]));
  expect(done).toEqual([1, 2]);
});

test("facts are gathered from files that are only read, and from their helpers", async () => {
  const files = {
    "tests/support/__init__.py": "",
    "tests/support/look.py": "from . import deeper\n\n\ndef look(value):\n    deeper.sure(value)\n",
    "tests/support/deeper.py": "def sure(value):\n    assert value\n",
    "pkg/check.py": "def sure(value):\n    assert value\n",
  };
  const source = `"""AC9 is not a test's own."""
from support.look import look


def test_ac_1_looks():
    """Criterion 4 and AC-2."""
    look(1)


def test_bare():
    print(1)
`;
  const tree = await world.tree({ ...files, [path]: source });
  const report = await checks.red({ tree, run: [], read: [{ path, source }], timeoutMs: 1_000 }, never);
  expect(report.facts[0]?.tests).toMatchObject([
    { id: `${path}::test_ac_1_looks`, asserts: true, criteria: [1, 2, 4] },
    { id: `${path}::test_bare`, asserts: false, criteria: [] },
  ]);
  expect(report.facts[0]?.assertions).toEqual([{ id: "tests/support/deeper.py:2:4", test: null, unfair: null }]);
});

test("a helper that is no text is followed no further, and its test's facts are told", async () => {
  const source = "from helpers import sure\n\n\ndef test_it():\n    assert sure\n";
  const tree = await world.tree({ "tests/helpers.py": Buffer.from("# \xff\nsure = 1\n", "latin1"), [path]: source });
  const report = await checks.red({ tree, run: [], read: [{ path, source }], timeoutMs: 1_000 }, never);
  expect(report.facts[0]?.tests).toMatchObject([{ id: it, asserts: true }]);
});

test("remarks at staging name a missing assertion, options that are left out, and a hidden module", async () => {
  const bare = await tryOut("import pkg\n\n\ndef test_it():\n    pkg.new()\n", ini("addopts = --cov=pkg"));
  expect(bare.problem).toBeNull();
  expect(stagingRemarks(bare.report)).toEqual([
    `${it} (T-001) has no assertion: it fails only by an error`,
    "checks leave out these pytest options of the project: --cov=pkg",
  ]);
  const hidden = await tryOut("from iniconfig.own import x\n\n\ndef test_it():\n    assert x\n", {
    "iniconfig/__init__.py": "",
    "iniconfig/own.py": "x = 1\n",
  });
  expect(stagingRemarks(hidden.report)).toEqual([
    `${path} (T-001): the tree's module iniconfig is hidden by an installed one`,
  ]);
});

test("a file that only a build makes is named with its importer, and one that a task has to write is not", async () => {
  const source = "from made.core import new\n\n\ndef test_it():\n    assert new() == 1\n";
  const base = { "made/core.py": "def old():\n    return 1\n" };
  const unmade = await tryOut(source, { ...base, "made/__init__.py": "from ._version import version\n" });
  const says = "imports made._version, which the base does not have: if a build generates that file, commit it";
  expect([unmade.problem, stagingRemarks(unmade.report)]).toEqual([null, [`made/__init__.py ${says}`]]);
  const honest = await tryOut(source.replace("made.core", "made.new"), { ...base, "made/__init__.py": "" });
  expect([honest.problem, stagingRemarks(honest.report)]).toEqual([null, []]);
});

test("a condition that never ends holds nothing up, and one that writes wherever it can spoils no answer", async () => {
  const conditions = ['__import__("time").sleep(600)', "[os.write(fd, b'1') for fd in range(3, 1000) if alive(fd)]"];
  const read = conditions.map((condition, at) => ({
    path: `tests/test_t00${at + 1}_it.py`,
    source: `import os\n\nimport pytest\n\nalive = lambda fd: os.path.exists("/proc/self/fd/%d" % fd)\n\n\n@pytest.mark.skipif(${condition}, reason="")\ndef test_it():\n    assert False\n`,
  }));
  const tree = await world.tree({ "pkg/__init__.py": "" });
  const report = await checks.red({ tree, run: [], read, timeoutMs: 1_000 }, never);
  expect(report.facts.map(({ problem, tests }) => [problem, tests.map(({ alwaysLeftOut }) => alwaysLeftOut)])).toEqual([
    ["", [false]],
    ["", [true]],
  ]);
});

function marked(mark: string, parameters: string): string {
  return `import pytest\n\n\n@pytest.mark.${mark}\ndef test_it(${parameters}):\n    assert False\n`;
}

function ini(line: string): Files {
  return { "pytest.ini": `[pytest]\n${line}\n` };
}
