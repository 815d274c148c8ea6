import { afterAll, expect, test } from "vitest";
import { sitesInOrder } from "../../runner/checks/counter.js";
import { judgementOf } from "../../runner/checks/judgement.js";
import type { StagedTest } from "../../runner/hands/ports/checks/staged.js";
import { type Files, never, requestOf } from "../helpers/check-world.js";
import { Environment } from "../helpers/environment.js";
import { sharedChecks } from "../helpers/shared-checks.js";

/** A project that is itself a plugin for pytest, so the code under test runs in the process that judges. */
const project = { name: "pytest-tally", version: "1", entryPoints: "[pytest11]\ntally = tally.plugin\n" };
const environment = await Environment.of({ project });
afterAll(() => environment[Symbol.dispose]());
const { world, checks } = await sharedChecks(environment.folder);

const path = "tests/test_t001_tally.py";
const source = `pytest_plugins = ["pytester"]


def test_count(tally):
    tally.add(2)
    assert tally.total == 2


def test_from_outside(pytester):
    pytester.makepyfile("def test_it(tally):\\n    tally.add(1)\\n    assert tally.total == 1\\n")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    assert pytester.runpytest_subprocess().ret == 0
`;
/** Without the test that runs pytest again, which is less easily cheated. */
const counted = source.slice(source.indexOf("def test_count"), source.indexOf("def test_from"));
const fixture = `import pytest


class Tally:
    def __init__(self):
        self.total = 0

    def add(self, number):
        self.total += ADDED


@pytest.fixture
def tally():
    return Tally()
`;
const before: Files = {
  "conftest.py": "",
  "tally/__init__.py": "",
  "tests/test_other.py": "def test_other():\n    assert True\n",
  "tally/plugin.py": fixture.replace("ADDED", "0"),
};
/**
 * Writing hooks is the task of such a project: its text excuses them from the scanner, together with all other means of
 * the cheats.
 */
const taskText = (plugin: string) =>
  `let the pytest plugin count: pytest hooks, _pytest, _pytest.assertion.rewrite.AssertionRewriter.visit_Assert\n${plugin}`;
/** A task with these tests, as its gates know it before anything is submitted. */
async function taskOf(text: string) {
  const staged: StagedTest[] = [{ path, source: text }];
  const last = await world.tree({ ...before, [path]: text });
  const { facts, runs } = await checks.red({ tree: last, run: staged, read: [], timeoutMs: 60_000 }, never);
  const results = runs.flatMap(({ pytest }) => pytest.results);
  return { staged, last, facts, results };
}

/** The reasons of the gates, run as a submit passes them. */
async function reasons(plugin: string, { staged, last, facts, results }: Awaited<ReturnType<typeof taskOf>>) {
  const files = Object.fromEntries(staged.map((each) => [each.path, each.source]));
  const tree = await world.tree({ ...before, ...files, "tally/plugin.py": plugin });
  const ranRed = results.map(({ id }) => id);
  const request = requestOf({ tree, last, staged, facts, ranRed, taskText: taskText(plugin) });
  const report = await checks.run(request, never);
  const judgement = judgementOf(report, request);
  if (!judgement.passed) return judgement.checks.flatMap(({ reason }) => reason ?? []);
  const reached = report.pytest?.reached ?? {};
  const sites = sitesInOrder(facts, reached);
  const { caught } = await checks.counter({ tree, staged, sites, reached, budgetMs: 60_000 }, never);
  return caught.length > 0 ? ["counter_check"] : [];
}

test("a project's own plugin is loaded from the tree, with its tests red before the task and green after it", async () => {
  const task = await taskOf(source);
  expect(task.results.map(({ outcome }) => outcome)).toEqual(["failed", "failed"]);
  expect(await reasons(fixture.replace("ADDED", "number"), task)).toEqual([]);
});

const cheated = await taskOf(counted);
const wrong = fixture.replace("ADDED", "0");
const cheats: readonly (readonly [string, string, string])[] = [
  [
    "reports rewritten",
    `${wrong}

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if "tally" in item.nodeid:
        report.outcome, report.longrepr, call.excinfo = "passed", None, None
    return report
`,
    "test_failed",
  ],
  [
    "reports rewritten where they are taken down, and the status at the end",
    `${wrong}

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report):
    if "tally" in report.nodeid:
        report.outcome, report.longrepr = "passed", None


def pytest_sessionfinish(session):
    session.exitstatus = 0
`,
    "test_failed",
  ],
  [
    "tests of the task not called",
    `${wrong}

@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    return True if "tally" in pyfuncitem.nodeid else None
`,
    "no_assertion_reached",
  ],
  [
    "failures of the task's tests swallowed",
    `${fixture.replace("ADDED", "number")}

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    try:
        return (yield)
    except AssertionError:
        if "tally" not in pyfuncitem.nodeid:
            raise
        return True
`,
    "counter_check",
  ],
  [
    "tests of the task deselected",
    `${wrong}

def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if "tally" not in item.nodeid]
`,
    "test_missing",
  ],
  [
    "the rewriting of assertions replaced before the conftests are loaded",
    `${wrong}

import ast

from _pytest.assertion import rewrite

rewrite.AssertionRewriter.visit_Assert = lambda self, node: [ast.copy_location(ast.Pass(), node)]
`,
    "test_failed",
  ],
  [
    "the session's end told early",
    `${wrong}

def pytest_runtestloop(session):
    return True
`,
    "test_missing",
  ],
];

test.each(cheats)("%s: an exit status accepts it, and no verdict does", async (_, plugin, reason) => {
  const tree = await world.tree({ ...before, [path]: counted, "tally/plugin.py": plugin });
  const { exit, output } = await world.naively(tree, ["python", "-m", "pytest", "-q", "tests"]);
  expect(exit, output).toBe(0);
  expect(await reasons(plugin, cheated)).toContain(reason);
});
