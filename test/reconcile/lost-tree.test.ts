import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventType, TilthEvent } from "../../runner/session/log/events.js";
import { CrashPoints, type SessionEnd } from "../helpers/crash-points.js";
import { eventsOf, type Plugged } from "../helpers/plug.js";

let points: CrashPoints;
let undisturbed: SessionEnd;

beforeAll(async () => {
  ({ points, undisturbed } = await CrashPoints.record(["accepted"]));
});
afterAll(() => points?.[Symbol.dispose]());

/** Resumes after the verdict, with the clerk's repository gone and the worktree as `spoil` leaves it. */
async function resumed(spoil: (worktree: string) => void): Promise<{ ended: SessionEnd; log: readonly TilthEvent[] }> {
  const point = points.all().find(({ name }) => /: evaluator_verdict of T-001$/.test(name));
  if (!point) throw new Error("no verdict was given");
  let log = (): readonly TilthEvent[] => [];
  const ended = await points.resumedFrom(point, ({ folder, files }: Plugged) => {
    rmSync(join(folder, "repo.git"), { recursive: true });
    spoil(files.paths.worktree);
    log = () => eventsOf(files);
  });
  return { ended, log: log() };
}

const count = (log: readonly TilthEvent[], type: EventType) => log.filter((event) => event.type === type).length;
const asked = (log: readonly TilthEvent[]) =>
  log.flatMap((event) => (event.type === "prompt_assembled" ? [event.payload.role] : []));

test("a lost accepted tree is made again from a worktree that still has it, and nobody is asked", async () => {
  const { ended, log } = await resumed(() => {});
  expect(ended).toEqual(undisturbed);
  expect(asked(log)).toEqual(["worker", "evaluator"]);
});

test("a worktree that differs from a lost tree is checked and evaluated before it is committed", async () => {
  const { ended, log } = await resumed((worktree) => writeFileSync(join(worktree, "more.txt"), "more\n"));
  expect(ended).toEqual({ ...undisturbed, tree: expect.not.stringMatching(undisturbed.tree) });
  expect([count(log, "check_run"), count(log, "evaluator_verdict"), count(log, "counter_check")]).toEqual([2, 2, 1]);
  expect(asked(log)).toEqual(["worker", "evaluator", "evaluator", "self_improve"]);
});

test("the worker goes on with the task when such a worktree fails its check", async () => {
  const { ended, log } = await resumed((worktree) => rmSync(join(worktree, "feature_1.py")));
  expect(ended).toEqual(undisturbed);
  expect(asked(log)).toEqual(["worker", "evaluator", "worker", "evaluator", "self_improve"]);
});
