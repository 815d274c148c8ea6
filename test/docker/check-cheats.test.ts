import { afterAll, beforeAll, expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import { ContainerChecks } from "../../runner/hands/check.js";
import type { CheckRequest } from "../../runner/hands/hands.js";
import type { TreeId } from "../../runner/support/ids.js";
import { cheats, honest, pending, project } from "../helpers/check-cheats.js";
import { CheckWorld, env, type Files, never, requestOf } from "../helpers/check-world.js";

const staged = Object.entries(project)
  .filter(([path]) => path.startsWith("tests/test_t"))
  .map(([path, source]) => ({ path, source }));
const base: Files = { ...project, [pending.path]: pending.source };
const naive = ["python", "-m", "pytest", "-q", "tests", `--ignore=${pending.path}`];

let world: CheckWorld;
let checks: ContainerChecks;
let last: TreeId;

beforeAll(async () => {
  world = await CheckWorld.open();
  checks = new ContainerChecks(world.share, env);
  last = await world.tree(base);
});
afterAll(async () => {
  await checks[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

async function judge(tree: TreeId, more: Partial<CheckRequest> = {}) {
  const request = requestOf({ tree, last, staged, allStaged: [...staged, pending], ...more });
  const report = await checks.run(request, never);
  return { ...judgementOf(report, request), report };
}

test("without a cheat, neither way passes what is wrong", async () => {
  expect((await world.naively(last, naive)).exit).toBe(1);
  expect((await judge(last)).passed).toBe(false);
});

test.each(cheats)("$name: an exit status believes it, a check does not", async ({ files, reasons }) => {
  const tree = await world.tree(files, base);
  const believed = await world.naively(tree, naive);
  expect(believed, believed.output).toMatchObject({ exit: 0 });
  const judged = await judge(tree);
  expect(judged.passed).toBe(false);
  const failed = judged.checks.filter(({ passed, name }) => !passed && name !== "ruff");
  expect(reasons, JSON.stringify(judged, null, 1)).toContain(failed[0]?.reason);
});

test.each(honest)("$name passes both ways", async ({ files, text, added }) => {
  const tree = await world.tree(files, base);
  const believed = await world.naively(tree, naive);
  expect(believed, believed.output).toMatchObject({ exit: 0 });
  const judged = await judge(tree, { taskText: text ?? "", added: added ?? [] });
  expect(judged, JSON.stringify(judged, null, 1)).toMatchObject({ passed: true });
});
