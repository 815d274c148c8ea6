import { afterAll, expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import { never, requestOf } from "../helpers/check-world.js";
import { Environment } from "../helpers/environment.js";
import { sharedChecks } from "../helpers/shared-checks.js";

type Plugin = readonly [source: string, reason: string];
const plugins: Readonly<Record<string, Plugin>> = {
  passes: [
    `import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    return True
`,
    "no_canary",
  ],
  chosen: [
    `import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    return True if pyfuncitem.name == "test_open" else None
`,
    "no_assertion_reached",
  ],
  replaces: [
    `import _pytest.runner as runner

was = runner.pytest_runtest_call


def call(item):
    try:
        was(item)
    except BaseException:
        pass


runner.pytest_runtest_call = call
`,
    "no_canary",
  ],
};

async function withPlugins(...names: readonly string[]) {
  const packages = names.map((name) => ({
    ...{ name, files: { [`${name}_plugin.py`]: plugins[name]?.[0] ?? "" } },
    entryPoints: `[pytest11]\n${name} = ${name}_plugin\n`,
  }));
  const environment = await Environment.of({ packages });
  afterAll(() => environment[Symbol.dispose]());
  return { names, ...(await sharedChecks(environment.folder)) };
}

const hooks = await withPlugins("passes", "chosen");
/** Importing its module alters pytest, even in a check that does not use it. */
const altered = await withPlugins("replaces");

const path = "tests/test_t001_open.py";
const source = 'from hall import open_for\n\n\ndef test_open():\n    assert open_for("Ada") == "hello Ada"\n';
const staged = [{ path, source }];

/** Judges with the one plugin that is not turned off, or with none. */
async function judged(hall: string, plugin?: string) {
  const { names, world, checks } = plugin === "replaces" ? altered : hooks;
  const off = names.filter((name) => name !== plugin).map((name) => `-p no:${name}`);
  const settings = { "pytest.ini": `[pytest]\naddopts = ${off.join(" ")}\n` };
  const tree = await world.tree({
    ...settings,
    [path]: source,
    "hall.py": `def open_for(name):\n    return ${hall}\n`,
  });
  const loaded = plugin === undefined ? "" : `import ${plugin}_plugin\n`;
  const program = `${loaded}import pytest, sys\nsys.exit(pytest.main(["-q", "tests"]))`;
  const naive = await world.naively(tree, ["python", "-c", program]);
  const { facts } = await checks.red({ tree, run: [], read: staged, timeoutMs: 60_000 }, never);
  const request = requestOf({ tree, last: tree, staged, facts });
  const { passed, checks: lines } = judgementOf(await checks.run(request, never), request);
  return { naive: naive.exit, passed, reason: lines.find((line) => !line.passed)?.reason };
}

test.each(Object.entries(plugins))(
  'the installed plugin "%s" makes wrong code pass for an exit status only',
  async (name, [, reason]) => {
    expect(await judged('"bye"', name)).toEqual({ naive: 0, passed: false, reason });
  },
);

test("without the plugins wrong code fails and right code passes", async () => {
  expect(await judged('"bye"')).toEqual({ naive: 1, passed: false, reason: "test_failed" });
  expect(await judged('"hello " + name')).toEqual({ naive: 0, passed: true, reason: undefined });
});
