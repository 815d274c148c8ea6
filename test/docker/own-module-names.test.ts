import { describe, expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import { never, requestOf } from "../helpers/check-world.js";
import { oneShotChecks } from "../helpers/one-shot.js";
import { sharedChecks } from "../helpers/shared-checks.js";

const { world, checks } = await sharedChecks();
const oneShot = oneShotChecks();

/** Modules that a project has under the names of ours. */
const names = [
  ...["check.zygote", "check.run.session", "check.scan.scan", "environment.places"],
  ...["environment.making.build", "resident.loop", "oneshot.check", "oneshot.report"],
];
const path = "tests/test_t001_names.py";
const source = `import importlib

import pytest

import check.run.session
import environment
import oneshot.check
import resident.loop


@pytest.mark.parametrize("name", ${JSON.stringify(names)})
def test_it(name):
    module = importlib.import_module(name)
    assert module.OWNER == "the project"
    assert module.__file__.startswith("/workspace/")


def test_nothing_of_others():
    assert check.run.session.OWNER == oneshot.check.OWNER == resident.loop.OWNER
    assert environment.__file__ == "/workspace/environment/__init__.py"
    with pytest.raises(ImportError):
        importlib.import_module("check.actions")
`;
const project = {
  ...Object.fromEntries(names.flatMap(packagesAround).map((name) => [`${name}/__init__.py`, "X = 1\n"])),
  ...Object.fromEntries(names.map((name) => [`${name.replaceAll(".", "/")}.py`, 'OWNER = "the project"\n'])),
  "conftest.py": "import check.scan.scan\nimport environment.making.build\n\nNAMES = check, environment\n",
  [path]: source,
};

function packagesAround(name: string): string[] {
  const parts = name.split(".");
  return parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

describe("a project with packages of the names that our own have", () => {
  test("fails where a check leaves its modules as it loaded them", async () => {
    const naive = `import sys
sys.path.insert(0, "/opt/tilth")
import check.run.sending, environment.places, resident, oneshot
del sys.path[0]
import pytest
sys.path.append("/workspace")
sys.exit(pytest.main(["-q", "--import-mode=append", "-p", "no:cacheprovider", "tests"]))`;
    const { exit, output } = await world.naively(await world.tree(project), ["python", "-I", "-c", naive]);
    expect(exit).not.toBe(0);
    expect(output).toContain("check.scan");
  });

  test("is judged by its own modules in a session's check", async () => {
    const tree = await world.tree(project);
    const request = requestOf({ tree, last: tree, staged: [{ path, source }] });
    const judged = judgementOf(await checks.run(request, never), request);
    expect(judged, JSON.stringify(judged, null, 1)).toMatchObject({ passed: true });
    const other = await world.tree({ ...project, "check/run/session.py": 'OWNER = "somebody else"\n' });
    const changed = requestOf({ tree: other, last: tree, staged: [{ path, source }] });
    expect(judgementOf(await checks.run(changed, never), changed)).toMatchObject({ passed: false });
  });

  test("is judged by its own modules in the one-shot check", async () => {
    const { exit, report } = await oneShot(project);
    expect(report, JSON.stringify(report, null, 1)).toMatchObject({ passed: true, problem: null });
    expect([exit, report.checks[1]?.tests?.length]).toEqual([0, names.length + 1]);
    const other = await oneShot({ ...project, "oneshot/report.py": 'OWNER = "somebody else"\n' });
    expect([other.exit, other.report.checks[1]?.reason]).toEqual([1, "test_failed"]);
  });
});
