import { afterAll, beforeAll, expect, test } from "vitest";
import { CrashPoints, type SessionEnd } from "../helpers/crash-points.js";
import { someOf } from "../helpers/every.js";

let points: CrashPoints;
let undisturbed: SessionEnd;

beforeAll(async () => {
  ({ points, undisturbed } = await CrashPoints.record(["rejected", "failed"]));
});
afterAll(() => points?.[Symbol.dispose]());

test("an undisturbed session comes to its end, and its record agrees", () => {
  expect(undisturbed).toMatchObject({
    status: "all_done",
    statuses: ["done", "done"],
    commits: 3,
    differs: [],
  });
});

/** Moments at which one step is recorded in several places, some of which are written. */
const between =
  /evaluator_verdict|ledger_appended|counter_check|proposed_learnings|commit_prepared|commit |task_done|context_reset|task_failed|stop|session_resume/;

test("a crash anywhere between a verdict and what follows from it does not change the end", async () => {
  const wrong: unknown[] = [];
  const rows = points.all().filter(({ name }) => between.test(name));
  for (const point of someOf(rows, 9, ({ name }) => between.exec(name)?.[0])) {
    const ended = await points.resumedFrom(point).catch((error: unknown) => ({ error: String(error) }));
    if (JSON.stringify(ended) !== JSON.stringify(undisturbed)) wrong.push({ at: point.name, ended });
  }
  expect(rows.length).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
}, 600_000);
