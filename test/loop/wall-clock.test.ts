import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../runner/base/clock.js";
import { faultRun, solve as solving } from "../helpers/fault-run.js";
import type { SteppingClock } from "../helpers/loop-clock.js";
import { LoopSession } from "../helpers/loop-session.js";
import { accept, solve } from "../helpers/loop-turns.js";
import type { Turn } from "../helpers/scripted-model.js";

const year = 365 * 24 * 60 * 60_000;
const jumps = { "a year ahead": year, "a year back": -year };
const minute = 60_000;

/** Jumps and answers with the turn, so that every later wait is across another jump. */
const jumping = (clock: SteppingClock, by: number, turn: Turn) => (): Turn => {
  clock.setBy(by);
  return turn;
};

describe.each(Object.entries(jumps))("a wall clock that jumps %s", (_, by) => {
  it("trips no cap, and a cap is met by the time that passed", async () => {
    const session = await LoopSession.open({ tasks: 3, caps: { maxWallClockMinutes: 30 } });
    const jump = () => {
      session.clock.setBy(by);
      session.clock.pass(15 * minute);
      return accept;
    };
    const run = await session.run({ worker: [solve(1), solve(2)], evaluator: [jump, jump] });
    expect([run.reason, session.statuses]).toEqual(["wall_clock", ["done", "done", "pending"]]);
  });

  it("neither ends an outage nor prolongs it", async () => {
    const run = await faultRun((clock) => ({ worker: jumping(clock, by, { status: 503 }) }));
    expect(run.end.stop.reason).toBe("infra");
    const waited = run.slept.reduce((sum, ms) => sum + ms, 0);
    expect([waited >= 10 * minute, waited < 11 * minute]).toEqual([true, true]);
    expect(run.asked("worker")).toBe(run.slept.length + 1);
  });

  it("leaves a wait as long as it was asked for", async () => {
    const headers = { "retry-after": "120" };
    const run = await faultRun((clock) => ({ worker: [jumping(clock, by, { status: 429, headers }), solving] }));
    expect(run.end.stop.reason).toBe("all_done");
    expect(run.slept).toHaveLength(1);
    expect(run.slept[0]).toBeGreaterThanOrEqual(120_000);
    expect(run.slept[0]).toBeLessThanOrEqual(125_000);
  });
});

describe("the calendar", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(Object.entries(jumps))(
    "set %s neither ends a request early nor keeps its time-out from coming",
    async (_, by) => {
      vi.useFakeTimers({ toFake: ["Date"] });
      const set = (turn: Turn) => (): Turn => {
        vi.setSystemTime(Date.now() + by);
        return turn;
      };
      const run = await faultRun({ worker: [set({ hang: true }), set(solving)] }, { requestTimeoutSeconds: 2 });
      expect(run.end.stop.reason).toBe("all_done");
      expect(run.of("model_retry").map(({ reason }) => reason)).toEqual(["timed out"]);
    },
  );

  it("does not move the clock that caps, outages and time-outs run on", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const before = systemClock.monotonicMs();
    vi.setSystemTime(Date.now() + year);
    expect(systemClock.now().getTime() - Date.UTC(2020, 0, 1)).toBeGreaterThan(year);
    expect(systemClock.monotonicMs() - before).toBeLessThan(year / 2);
  });

  it("is read in one place of the runner only", () => {
    const root = join(import.meta.dirname, "..", "..", "runner");
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
    const reading = files.filter((path) => /Date\.now\(|new Date\(\)/.test(readFileSync(join(root, path), "utf8")));
    expect(reading).toEqual([join("base", "clock.ts")]);
  });
});
