import { expect, test } from "vitest";
import { afterAwake, asleepMs, awakeMs, awakeSignal, pause } from "../../runner/base/awake.js";
import { briefSleepMs, holdUp } from "../helpers/held-up.js";
import { soon } from "../helpers/soon.js";

test("a time-out does not count the time while the process was stopped, unlike a naive one", async () => {
  const [awake, asleep, real] = [awakeMs(), asleepMs(), performance.now()];
  const [naive, ours] = [AbortSignal.timeout(1_500), awakeSignal(1_500)];
  holdUp(briefSleepMs);
  await pause(50);
  expect([naive.aborted, ours.aborted]).toEqual([true, false]);
  const passed = performance.now() - real;
  expect(asleepMs() - asleep).toBeGreaterThan(briefSleepMs - 1_000);
  expect(awakeMs() - awake + asleepMs() - asleep).toBeCloseTo(passed, -2);
  await soon(() => ours.aborted).toBe(true);
  expect(performance.now() - real).toBeGreaterThan(briefSleepMs);
});

test("a cleared time-out never fires, and one that is due fires once", async () => {
  const seen: string[] = [];
  afterAwake(20, () => seen.push("due"));
  afterAwake(20, () => seen.push("cleared")).clear();
  await soon(() => seen).toEqual(["due"]);
  await pause(40);
  expect(seen).toEqual(["due"]);
});
