import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import { never, requestOf } from "../helpers/check-world.js";
import { DockerWorld } from "../helpers/docker-world.js";
import { makeSource, packOf } from "../helpers/sources.js";

const source = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n";
const solved = "def add(a, b):\n    return a + b\n";

test("a session's own check container, hardened as it is, judges a tree of the clerk's", async () => {
  await using world = await DockerWorld.open();
  const { clerk, checks } = world.hands;
  const folder = mkdtempSync(join(tmpdir(), "tilth-source-"));
  try {
    const commit = await makeSource(folder, { "calc.py": solved, "tests/test_t001_add.py": source });
    checks.prepare();
    await clerk.open(commit, never);
    await clerk.takePack(packOf(folder, commit), commit, never);
    const tree = await clerk.treeOf(commit, never);
    const request = requestOf({ tree, last: tree, staged: [{ path: "tests/test_t001_add.py", source }] });
    expect(judgementOf(await checks.run(request, never), request)).toMatchObject({ passed: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
