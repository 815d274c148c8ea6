import { afterAll, expect, test } from "vitest";
import { sitesInOrder } from "../../runner/checks/counter.js";
import { judgementOf } from "../../runner/checks/judgement.js";
import { type Files, never, requestOf } from "../helpers/check-world.js";
import { Environment } from "../helpers/environment.js";
import { sharedChecks } from "../helpers/shared-checks.js";

const runs = `import asyncio
import inspect

import pytest


def pytest_addoption(parser):
    parser.addini("asyncio_mode", "auto or strict", default="strict")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if pyfuncitem.config.getini("asyncio_mode") == "auto" and inspect.iscoroutinefunction(pyfuncitem.obj):
        given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        asyncio.run(pyfuncitem.obj(**given))
        return True
`;
const entryPoints = "[pytest11]\nasyncio = pytest_asyncio.plugin\n";
const files = { "pytest_asyncio/__init__.py": "", "pytest_asyncio/plugin.py": runs };
const environment = await Environment.of({ packages: [{ name: "pytest-asyncio", files, entryPoints }] });
afterAll(() => environment[Symbol.dispose]());
const { world, checks } = await sharedChecks(environment.folder);

const path = "tests/test_t001_add.py";
const source = "from calc import add\n\n\nasync def test_add():\n    assert await add(2, 3) == 5\n";
const common: Files = {
  [path]: source,
  "pytest.ini": "[pytest]\nasyncio_mode = auto\naddopts = --strict-config -Werror\n",
};

async function gates(calc: string) {
  const staged = [{ path, source }];
  const tree = await world.tree({ ...common, "calc.py": calc });
  const { facts } = await checks.red({ tree, run: staged, read: [], timeoutMs: 60_000 }, never);
  const request = requestOf({ tree, last: tree, staged, facts });
  const report = await checks.run(request, never);
  const { passed } = judgementOf(report, request);
  const reached = report.pytest?.reached ?? {};
  const sites = sitesInOrder(facts, reached);
  const { caught } = await checks.counter({ tree, staged, sites, reached, budgetMs: 60_000 }, never);
  return { passed, sites: sites.length, caught: caught.length };
}

test("an assertion in a coroutine counts where a plugin runs it, so a value that equals everything is caught", async () => {
  const agreeable =
    "class Sum:\n    def __eq__(self, other):\n        return True\n\n\nasync def add(a, b):\n    return Sum()\n";
  const tree = await world.tree({ ...common, "calc.py": agreeable });
  expect((await world.naively(tree, ["python", "-m", "pytest", "-q"])).exit).toBe(0);
  expect(await gates(agreeable)).toEqual({ passed: true, sites: 1, caught: 1 });
});

test("an honest coroutine passes, also in a project that sets the time zone", async () => {
  const zone = "import os\nimport time\n\nos.environ['TZ'] = 'America/Chicago'\ntime.tzset()\n\n\n";
  for (const before of ["", zone])
    expect(await gates(`${before}async def add(a, b):\n    return a + b\n`)).toEqual({
      passed: true,
      sites: 1,
      caught: 0,
    });
});
