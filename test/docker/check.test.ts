import { describe, expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import type { StagedTest } from "../../runner/hands/ports/checks/staged.js";
import { HandsLost } from "../../runner/hands/ports/hands.js";
import { ContainerChecks } from "../../runner/hands/roles/check/checks.js";
import { env, type Files, never, requestOf } from "../helpers/check-world.js";
import { sharedChecks } from "../helpers/shared-checks.js";

const { world, checks } = await sharedChecks();

async function check(files: Files, source: string, path = "tests/test_t001_it.py") {
  const staged: StagedTest[] = [{ path, source }];
  const tree = await world.tree({ [path]: source, ...files });
  const request = requestOf({ tree, last: tree, staged });
  const report = await checks.run(request, never);
  return { ...judgementOf(report, request), report };
}

test("pytest runs what a file's syntax tree expects", async () => {
  const source = `import unittest
from unittest import IsolatedAsyncioTestCase

import pytest


def test_plain():
    pass


async def test_async():
    pass


@pytest.mark.parametrize(("a", "b"), [(1, "x"), pytest.param(-2, None, id="named"), (True, 1.5)])
@pytest.mark.parametrize("c", ["left", "right"])
def test_literals(a, b, c):
    pass


@pytest.mark.parametrize("made", [object(), "ü"])
def test_counted(made):
    pass


@pytest.mark.parametrize("made", list(range(3)), ids=str)
def test_many(made):
    pass


@pytest.fixture(params=["one", "two"])
def either(request):
    return request.param


def test_by_fixture(either):
    pass


class TestGroup:
    class TestInner:
        def test_inner(self):
            pass

    def test_member(self):
        pass

    def helper(self):
        pass


class Base(unittest.TestCase):
    def test_inherited(self):
        pass


class Derived(Base):
    def test_own(self):
        pass


class Asynchronous(IsolatedAsyncioTestCase):
    async def test_awaited(self):
        pass


class TestConstructed:
    def __init__(self):
        pass

    def test_never(self):
        pass


def test_not():
    pass


test_not.__test__ = False
`;
  const { report } = await check({}, source);
  const seen = report.pytest?.results.map(({ id }) => id) ?? [];
  const expected = report.pytest?.expected ?? [];
  const of = (base: string) => seen.filter((id) => id.startsWith(`${base}[`));
  const exact = expected.filter(({ many }) => !many).map(({ id }) => id);
  const open = expected.filter(({ many }) => many).flatMap(({ id }) => of(id));
  expect([...exact, ...open].sort()).toEqual([...seen].sort());
  expect(expected).toContainEqual({ id: "tests/test_t001_it.py::test_counted", many: true, count: 2 });
  expect(exact).toContain("tests/test_t001_it.py::test_literals[left-named]");
});

test("a module that neither the tree nor the image has is named", async () => {
  const judged = await check({}, "import requests\n\n\ndef test_it():\n    assert requests\n");
  expect(judged.checks).toMatchObject([
    { name: "ruff", passed: true },
    { name: "pytest", reason: "missing_module" },
  ]);
  expect(judged.checks[1]?.output).toContain("requests is not in the image");
});

describe("options of the project", () => {
  const source = "def test_it():\n    assert True\n";

  test("are left out and noted when they only measure, spread or report", async () => {
    const judged = await check(
      {
        "pytest.ini":
          "[pytest]\naddopts = -x --cov=src -n 4 --junitxml out.xml --benchmark-autosave -v tests\ntimeout = 5\nasyncio_mode = auto\nstrict_config = 1\n",
      },
      source,
    );
    expect(judged).toMatchObject({ passed: true });
    expect(judged.integrityNotes.join()).toContain("--cov=src, -n 4, --junitxml out.xml, --benchmark-autosave");
  });

  test("have a reason of their own when they need a plugin that is not there", async () => {
    const judged = await check({ "pytest.ini": "[pytest]\naddopts = --asyncio-mode=auto\n" }, source);
    expect(judged.checks[1]).toMatchObject({ reason: "unserved_option" });
    expect(judged.checks[1]?.output).toContain("--asyncio-mode");
  });
});

test("the library and the image come before the tree on the path, and the tree's folders in pytest's own order", async () => {
  const judged = await check(
    {
      "json.py": "raise SystemExit(0)\n",
      "conftest.py": "ROOT = True\n",
      "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef here():\n    return 1\n",
      "tests/shared.py": "WHERE = 'tests'\n",
      "shared.py": "WHERE = 'root'\n",
      "src/pkg/__init__.py": "VALUE = 2\n",
      "lib/other.py": "VALUE = 3\n",
      "pytest.ini": "[pytest]\npythonpath = lib\n",
    },
    `import json
import sys

import other
import pkg
import shared

sys.path.insert(0, "/workspace/src")


def test_it(here):
    assert (here, pkg.VALUE, other.VALUE, shared.WHERE) == (1, 2, 3, "tests")
    assert json.loads("[1]") == [1]
    assert not sys.path[0].startswith("/workspace")
`,
  );
  expect(judged, JSON.stringify(judged, null, 1)).toMatchObject({ passed: true });
});

test("neither canary nor nonce appears in anything that is shown", async () => {
  const judged = await check(
    { "pytest.ini": "[pytest]\naddopts = -vv -rA\n" },
    "import os\n\n\ndef test_it():\n    print(sorted(os.listdir('tests')))\n    assert False\n",
  );
  expect(judged.checks[1]).toMatchObject({ reason: "test_failed" });
  const shown = JSON.stringify(judged);
  expect(shown).toContain("1 failed");
  expect(shown.match(/test_t\d{3}_[a-z]{10}/g)).toBeNull();
});

test("ruff's findings carry the text of their lines, whatever ignore files say", async () => {
  const tree = await world.tree({
    "calc.py": "import os\n\nimport sys\n",
    ".gitignore": "calc.py\n",
    "bad.py": "def (:\n",
  });
  const last = await world.tree({});
  const { ruff } = await checks.run(requestOf({ tree, last, staged: [] }), never);
  expect(ruff).toMatchObject({ problem: "", exit: 1 });
  const found = (ruff?.findings ?? []).map(({ path, rule, line, lineText }) => [path, rule, line, lineText]);
  expect(found).toContainEqual(["calc.py", "F401", 1, "import os"]);
  expect(found).toContainEqual(["calc.py", "F401", 3, "import sys"]);
  expect(found).toContainEqual(["bad.py", "invalid-syntax", 1, "def (:"]);
});

test("files that are in no tree yet are linted by the pinned rules", async () => {
  await using own = new ContainerChecks(world.start, env);
  const report = await own.lintFiles([{ path: "tests/test_t001_a.py", source: "import os\n" }], never);
  expect(report.findings).toMatchObject([{ path: "tests/test_t001_a.py", rule: "F401", lineText: "import os" }]);
});

test("tests that do not end are stopped, and the container serves the next check", async () => {
  const source = "import time\n\n\ndef test_it():\n    time.sleep(600)\n";
  const tree = await world.tree({ "tests/test_t001_it.py": source });
  const staged = [{ path: "tests/test_t001_it.py", source }];
  const request = requestOf({ tree, last: tree, staged, timeoutMs: 1_500 });
  const judged = judgementOf(await checks.run(request, never), request);
  expect(judged.checks[1]).toMatchObject({ name: "pytest", reason: "timeout" });
  expect(await check({}, "def test_it():\n    assert True\n")).toMatchObject({ passed: true });
});

test("a test that kills the process it was forked from costs two containers, and passes nothing", async () => {
  const source =
    "import os\nimport signal\n\n\ndef test_it():\n    os.kill(os.getppid(), signal.SIGKILL)\n    os._exit(0)\n";
  const tree = await world.tree({ "tests/test_t001_it.py": source });
  const staged = [{ path: "tests/test_t001_it.py", source }];
  await using own = new ContainerChecks(world.start, env);
  const before = world.started;
  await expect(own.run(requestOf({ tree, last: tree, staged }), never)).rejects.toThrow(HandsLost);
  expect(world.started - before).toBe(2);
});

test("a tree that is refused for its contents leaves its container to the next, and one that ran does not", async () => {
  const staged = [{ path: "tests/test_t001_it.py", source: "def test_it():\n    assert True\n" }];
  const last = await world.tree({ "tests/test_t001_it.py": staged[0]?.source ?? "" });
  const refused = requestOf({ tree: await world.tree({ "README.md": "x\n" }), last, staged });
  const honest = requestOf({ tree: last, last, staged });
  await using own = new ContainerChecks(world.start, env);
  const before = world.started;
  const judged = async (request: typeof honest) => {
    const { passed } = judgementOf(await own.run(request, never), request);
    own.prepare();
    return [passed, world.started - before];
  };
  const ends = [];
  for (const request of [refused, refused, honest, honest]) ends.push(await judged(request));
  expect(ends).toEqual([
    [false, 1],
    [false, 1],
    [true, 1],
    [true, 2],
  ]);
});

test("a container that was lost while it waited is not used", async () => {
  const source = "def test_it():\n    assert True\n";
  const tree = await world.tree({ "tests/test_t001_it.py": source });
  const request = requestOf({ tree, last: tree, staged: [{ path: "tests/test_t001_it.py", source }] });
  const started: Awaited<ReturnType<typeof world.start>>[] = [];
  await using own = new ContainerChecks(async () => {
    const container = await world.start();
    started.push(container);
    return container;
  }, env);
  own.prepare();
  while (started.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await started[0]?.kill();
  expect(judgementOf(await own.run(request, never), request).passed).toBe(true);
});

test("tests that failed before the task do not count against it, and those that it broke do", async () => {
  const path = "tests/test_t001_it.py";
  const staged = [{ path, source: "from calc import add\n\n\ndef test_add():\n    assert add(1, 1) == 2\n" }];
  const old =
    "import calc\n\n\ndef test_old():\n    assert calc.missing\n\n\ndef test_zero():\n    assert calc.zero() == 0\n";
  const more = "\n\ndef test_one():\n    assert calc.add(0, 1) == 1\n";
  const zero = (value: number) => `def zero():\n    return ${value}\n\n\n`;
  const last = {
    [path]: staged[0]?.source ?? "",
    "tests/test_old.py": old,
    "calc.py": `${zero(0)}def add(a, b):\n    return 0\n`,
  };
  const judge = async (calc: string) => {
    const files = { "calc.py": calc, "tests/test_old.py": old + more };
    const trees = { tree: await world.tree(files, last), last: await world.tree(last) };
    const request = requestOf({ ...trees, staged, added: ["tests/test_old.py"], changed: ["tests/test_old.py"] });
    const report = await checks.run(request, never);
    return {
      report,
      judged: judgementOf(report, request),
      naive: judgementOf({ ...report, ownBefore: null }, request),
    };
  };
  const right = "def add(a, b):\n    return a + b\n";
  const honest = await judge(zero(0) + right);
  expect(honest.naive).toMatchObject({ passed: false });
  expect(honest.judged, JSON.stringify(honest.judged.checks)).toMatchObject({ passed: true });
  expect(honest.judged.integrityNotes.join()).toContain("as well: tests/test_old.py::test_old");
  const broken = await judge(zero(1) + right);
  expect(broken.judged.checks).toContainEqual(expect.objectContaining({ name: "added_tests", reason: "test_failed" }));
  expect(broken.judged.checks.find(({ name }) => name === "added_tests")?.output).toContain("1 of 2 tests failed");
});
