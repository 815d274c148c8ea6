import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import { never, requestOf } from "../helpers/check-world.js";
import { DockerWorld } from "../helpers/docker-world.js";
import { makeSource, packOf } from "../helpers/sources.js";

const solved = (act: string) => `import resource\n\n\ndef add(a, b):\n    ${act}\n    return a + b\n`;
const testOf = (module: string) => `from ${module} import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n`;

const tests = {
  calc: testOf("calc"),
  lowers: testOf("lowers"),
};
const files = {
  "calc.py": solved("resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))"),
  "lowers.py": solved("resource.prlimit(1, resource.RLIMIT_NOFILE, (4, 4))"),
  "tests/test_t001_calc.py": tests.calc,
  "tests/test_t001_lowers.py": tests.lowers,
};

test("a session's hardened check container judges a tree made by the clerk, whatever the tree's code tries", async () => {
  await using world = await DockerWorld.open();
  const { clerk, checks } = world.hands;
  const folder = mkdtempSync(join(tmpdir(), "tilth-source-"));
  try {
    const commit = await makeSource(folder, files);
    checks.prepare();
    await clerk.open(commit, never);
    await clerk.takePack(packOf(folder, commit), commit, never);
    const tree = await clerk.treeOf(commit, never);
    const judged = async (name: keyof typeof tests) => {
      const staged = [{ path: `tests/test_t001_${name}.py`, source: tests[name] }];
      const request = requestOf({ tree, last: tree, staged });
      return judgementOf(await checks.run(request, never), request);
    };
    expect(await judged("calc")).toMatchObject({ passed: true });
    const lowered = await judged("lowers");
    expect(lowered).toMatchObject({ passed: false, checks: [{ name: "ruff", passed: true }, { name: "pytest" }] });
    expect(lowered.checks[1]?.output).toContain("PermissionError");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
