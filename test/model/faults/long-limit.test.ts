import { describe, expect, it } from "vitest";
import { RunClock } from "../../../runner/base/clock.js";
import { Interrupted } from "../../../runner/base/errors.js";
import { type ModelLimits, openModelClient } from "../../../runner/model/openai-client.js";
import { Asking, JumpingClock } from "../../helpers/asking.js";
import { LoopSession } from "../../helpers/loop-session.js";
import { caseOf } from "../../helpers/loop-turns.js";
import { endpointsOf, startModel, type Turn } from "../../helpers/scripted-model.js";

const week = 7 * 86_400;
const weekly: Turn = { status: 429, headers: { "retry-after": String(week) } };
const done: Turn = { quiet: "hello back" };
const goOn = "tilth resume 20300101-000000-abcdef";

async function asked(turns: readonly Turn[], limits: Partial<ModelLimits> = {}) {
  const model = await startModel({ worker: turns });
  return { model, asking: new Asking(endpointsOf(model.baseUrl), limits, { goOn }) };
}

describe("a limit longer than an outage may last", () => {
  it("ends the question at once, with the time to go on at and the commands", async () => {
    const { model, asking } = await asked([weekly, done]);
    await using _ = model;
    expect(await asking.failure()).toMatchObject({
      code: "infra",
      message: expect.stringMatching(/asks to wait 604800 s, until 2030-01-0\d \d\d:\d\d:\d\d \S+, but only 600 s of/),
      hint: `After that: ${goOn}; ${goOn} --wait-for-limit waits until then by itself.`,
    });
    expect([asking.clock.slept, asking.waits, model.requests.length]).toEqual([[], [], 1]);
  });

  it("is waited for when the person wants it, at the cost of no attempt", async () => {
    const { model, asking } = await asked([{ status: 503 }, weekly, { status: 503 }, weekly, done], {
      waitForLimit: true,
    });
    await using _ = model;
    await asking.ask();
    expect(asking.waits).toEqual([
      expect.objectContaining({ reason: expect.stringContaining("HTTP 429"), waitMs: week * 1_000, isUncounted: true }),
      expect.objectContaining({ waitMs: week * 1_000 }),
    ]);
    expect(asking.waits[0]?.until.getTime()).toBeGreaterThanOrEqual(Date.UTC(2030, 0, 8));
    expect(asking.retries.map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(Math.max(...asking.clock.slept)).toBeLessThanOrEqual(30_000);
  });

  it("ends a little later for each who waits, so that not all ask in one instant", async () => {
    const ends = [0, 0.5, 1].map(async (share) => {
      await using model = await startModel({ worker: [weekly, done] });
      const asking = new Asking(endpointsOf(model.baseUrl), { waitForLimit: true }, { random: () => share });
      await asking.ask();
      return asking.waits[0]?.waitMs;
    });
    expect(await Promise.all(ends)).toEqual([0, 2_500, 5_000].map((later) => week * 1_000 + later));
  });

  it("is asked once more before it is waited for, because it may have been lifted", async () => {
    const { model, asking } = await asked([weekly, done]);
    await using _ = model;
    expect(await asking.failure()).toMatchObject({ code: "infra" });
    await asking.ask();
    expect([asking.clock.slept, asking.waits, model.requests.length]).toEqual([[], [], 2]);
  });

  it("is not assumed of an endpoint that is down and always asks for a short wait", async () => {
    const { model, asking } = await asked(
      Array.from({ length: 60 }, (): Turn => ({ status: 503, headers: { "retry-after": "40" } })),
      { waitForLimit: true },
    );
    await using _ = model;
    expect(await asking.failure()).toMatchObject({
      code: "infra",
      message: expect.stringContaining("of TILTH_MAX_OUTAGE_MINUTES (10) are left: HTTP 503"),
      hint: "Continue later, or raise TILTH_MAX_OUTAGE_MINUTES.",
    });
    expect(asking.waits).toEqual([]);
  });

  it("is waited for too when it is stated late in an outage, and when maintenance lasts as long", async () => {
    const late: Turn = { status: 429, headers: { "retry-after": "400" } };
    for (const turns of [
      [late, late, done],
      [{ status: 503, headers: { "retry-after": "7200" } }, done],
    ]) {
      const { model, asking } = await asked(turns as readonly Turn[], { waitForLimit: true });
      await using _ = model;
      await asking.ask();
      expect(asking.waits).toHaveLength(1);
    }
  });

  it("is waited for no longer after an interruption", async () => {
    const { model, asking } = await asked([weekly, done], { waitForLimit: true });
    await using _ = model;
    const aborted = new AbortController();
    const failure = asking.failure({}, { signal: aborted.signal, onLimitWait: () => aborted.abort() });
    expect(await failure).toBeInstanceOf(Interrupted);
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    ["without end", { status: 429, headers: { "retry-after": "9".repeat(400) } }],
    ["of ten years", { status: 429, headers: { "retry-after": String(3_650 * 86_400) } }],
  ] satisfies [string, Turn][])("is not waited for when it asks for a wait %s", async (_, turn) => {
    const { model, asking } = await asked([turn, done], { waitForLimit: true });
    await using _model = model;
    expect(await asking.failure()).toMatchObject({ code: "infra", hint: expect.stringContaining("Continue later") });
    expect(asking.clock.slept).toEqual([]);
  });
});

describe("the cap of a run's minutes", () => {
  const solving = (n: number): Turn => ({
    calls: [
      ["write_file", { path: `feature_${n}.py`, content: "value = 1\n" }],
      ["submit_case", caseOf()],
    ],
  });

  async function stopAfterALimit(sleeping: (clock: RunClock) => { sleepUncounted?: RunClock["sleep"] }) {
    const session = await LoopSession.open({ tasks: 2, caps: { maxWallClockMinutes: 120 } });
    const clock = new RunClock(session.clock);
    await using model = await startModel({ worker: [weekly, solving(1), solving(2)] });
    const client = openModelClient(
      endpointsOf(model.baseUrl),
      { requestTimeoutSeconds: 20, maxOutageMinutes: 10, waitForLimit: true },
      { session: session.files.id, clock, random: () => 0, ...sleeping(clock) },
    );
    const { end, events } = await session.runOn(client, { clock });
    const waits = events.flatMap(({ type, payload }) => (type === "limit_wait" ? [payload] : []));
    expect(waits).toEqual([
      expect.objectContaining({
        task_id: "T-001",
        phase: "worker",
        wait_ms: expect.closeTo(week * 1_000, -2),
        uncounted: true,
      }),
    ]);
    return end.stop.reason;
  }

  it("does not count the wait for a limit, which would use it up", async () => {
    expect(await stopAfterALimit(({ sleepUncounted }) => ({ sleepUncounted }))).toBe("all_done");
    expect(await stopAfterALimit(() => ({}))).toBe("wall_clock");
  });

  it("counts every other wait", async () => {
    const { signal } = new AbortController();
    const clock = new RunClock(new JumpingClock());
    await clock.sleep(1_000, signal);
    await clock.sleepUncounted(5_000, signal);
    await clock.sleep(200, signal);
    expect([clock.monotonicMs(), clock.now().getTime()]).toEqual([1_200, Date.UTC(2030, 0, 1) + 6_200]);
    await expect(clock.sleepUncounted(5_000, AbortSignal.abort())).rejects.toBeInstanceOf(Interrupted);
    expect(clock.monotonicMs()).toBe(1_200);
  });
});
