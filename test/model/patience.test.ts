import { describe, expect, it } from "vitest";
import { Patience } from "../../runner/model/faults/retry.js";
import { Asking, JumpingClock } from "../helpers/asking.js";
import { briefSleepMs, holdUp } from "../helpers/held-up.js";
import { endpointsOf, startModel, type Turn } from "../helpers/scripted-model.js";

const done: Turn = { quiet: "hello back" };
const always = (turn: Turn) => () => turn;
const date = new Date(Date.UTC(2030, 0, 1)).toUTCString();
const sum = (ms: readonly number[]) => ms.reduce((a, b) => a + b, 0);
/** Nothing listens on the discard port. */
const nowhere = "http://127.0.0.1:9/v1";

async function afterFirstReply(turns: readonly Turn[], limits = {}) {
  const model = await startModel({ worker: [done, ...turns] });
  const asking = new Asking(endpointsOf(model.baseUrl), limits);
  await asking.ask();
  return { model, asking };
}

describe("patience with an endpoint", () => {
  it("waits grow, and an outage ends after its minutes", async () => {
    await using model = await startModel({ worker: always({ status: 503 }) });
    const asking = new Asking(endpointsOf(model.baseUrl), { maxOutageMinutes: 10 });
    const failure = await asking.failure();
    expect(failure).toMatchObject({ code: "infra", hint: expect.stringContaining("TILTH_MAX_OUTAGE_MINUTES") });
    const { slept } = asking.clock;
    expect(slept[0]).toBeGreaterThanOrEqual(500);
    expect(slept[4]).toBeGreaterThanOrEqual(8_000);
    expect(sum(slept)).toBeGreaterThanOrEqual(600_000);
    expect(sum(slept)).toBeLessThan(602_000);
    expect(model.requests).toHaveLength(slept.length + 1);
  });

  it("an outage of nothing but refusals for a limit names the account, which may have run out", async () => {
    const message = "You exceeded your current quota, please check your plan and billing details.";
    const body = { error: { message, type: "insufficient_quota", param: null, code: "insufficient_quota" } };
    await using model = await startModel({ worker: always({ status: 429, body }) });
    const failure = await new Asking(endpointsOf(model.baseUrl), { maxOutageMinutes: 1 }).failure();
    expect(failure).toMatchObject({
      code: "infra",
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/TILTH_API_KEY belongs to has credit.*TILTH_MAX_OUTAGE_MINUTES/),
    });
  });

  it("there are two attempts however short an outage may be", async () => {
    await using model = await startModel({ worker: always({ status: 500 }) });
    const asking = new Asking(endpointsOf(model.baseUrl), { maxOutageMinutes: 0.000_01 });
    expect(await asking.failure()).toMatchObject({ code: "infra" });
    expect(model.requests).toHaveLength(2);
  });

  it("a connection that dies over a sleep costs nothing of an outage, which otherwise would have ended", async () => {
    const drop: Turn = { drop: "at once" };
    const sleeps: Turn = () => {
      holdUp(briefSleepMs);
      return drop;
    };
    const limits = { maxOutageMinutes: 0.000_01 };
    await using awake = await startModel({ worker: [drop, drop, done] });
    expect(await new Asking(endpointsOf(awake.baseUrl), limits).failure()).toMatchObject({ code: "infra" });
    await using model = await startModel({ worker: [drop, sleeps, sleeps, done] });
    await new Asking(endpointsOf(model.baseUrl), limits).ask();
    expect(model.requests).toHaveLength(4);
  });

  it.each<[string, Record<string, string>, number]>([
    ["in seconds", { "retry-after": "120" }, 120_000],
    ["in milliseconds", { "retry-after-ms": "1500", "retry-after": "60" }, 1_500],
    ["as a date", { date, "retry-after": new Date(Date.UTC(2030, 0, 1, 0, 2)).toUTCString() }, 120_000],
    [
      "as a date, by another clock",
      { date: "Thu, 01 Jan 2026 00:00:00 GMT", "retry-after": "Thu, 01 Jan 2026 00:02:00 GMT" },
      120_000,
    ],
    ["of the provider behind a gateway", { "llm_provider-retry-after": "120" }, 120_000],
    ["of the gateway itself first", { "retry-after": "20", "llm_provider-retry-after-ms": "120000" }, 20_000],
    ["in the past", { date, "retry-after": new Date(Date.UTC(2029, 0, 1)).toUTCString() }, 0],
  ])("a Retry-After %s is waited in full", async (_, headers, ms) => {
    await using model = await startModel({ worker: [{ status: 429, headers }, done] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    await asking.ask();
    expect(asking.clock.slept[0]).toBeGreaterThanOrEqual(ms);
    expect(asking.clock.slept[0]).toBeLessThanOrEqual(ms + 5_000);
  });

  it.each(["as it is", "in a gateway's text"])(
    "a delay that Google states in the body, %s, is waited in full",
    async (how) => {
      const told = [
        {
          error: {
            code: 429,
            message: "You exceeded your current quota. Please retry in 34.07s.",
            status: "RESOURCE_EXHAUSTED",
            details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.07s" }],
          },
        },
      ];
      const body = how === "as it is" ? told : { error: { message: JSON.stringify(told), code: "429" } };
      await using model = await startModel({ worker: [{ status: 429, body }, done] });
      const asking = new Asking(endpointsOf(model.baseUrl));
      await asking.ask();
      expect(asking.clock.slept).toEqual([34_070]);
    },
  );

  it("a Retry-After longer than the time that is left ends the question at once, and is named", async () => {
    await using model = await startModel({ worker: always({ status: 429, headers: { "retry-after": "601" } }) });
    const failure = await new Asking(endpointsOf(model.baseUrl), { maxOutageMinutes: 10 }).failure();
    expect(failure).toMatchObject({ code: "infra", message: expect.stringContaining("601 s") });
    expect(model.requests).toHaveLength(1);
  });

  it.each([{ "retry-after": "0" }, { "retry-after-ms": "0" }, { "retry-after": "Thu, 01 Jan 2026 00:00:00 GMT" }])(
    "an outage ends after its minutes, without hasty requests, even where it asks for no wait (%j)",
    async (headers) => {
      let left = 5_000;
      const turn = (): Turn => (left-- > 0 ? { status: 503, headers } : done);
      await using model = await startModel({ worker: turn });
      const asking = new Asking(endpointsOf(model.baseUrl), { maxOutageMinutes: 10 });
      expect(await asking.failure()).toMatchObject({ code: "infra" });
      expect(sum(asking.clock.slept)).toBeGreaterThanOrEqual(599_000);
      expect(Math.min(...asking.clock.slept.slice(0, -1))).toBeGreaterThanOrEqual(500);
    },
  );

  it("a refused connection after another fault is still tried twice before the first reply", () => {
    const clock = new JumpingClock();
    const patience = new Patience({ clock, outageMs: 600_000, bestEffort: false, random: () => 0 });
    const refused = { kind: "unreachable", reason: "connection refused" } as const;
    const busy = { kind: "passing", reason: "HTTP 503", retryAfter: null } as const;
    expect([busy, refused, refused].map((fault) => patience.after(fault, false).retry)).toEqual([true, true, false]);
  });

  it("an address that refuses before the first reply is tried twice within five seconds", async () => {
    const asking = new Asking(endpointsOf(nowhere));
    const failure = await asking.failure();
    expect(failure).toMatchObject({ code: "infra", hint: expect.stringContaining("TILTH_BASE_URL") });
    expect(asking.retries).toHaveLength(1);
    expect(sum(asking.clock.slept)).toBeLessThan(5_000);
  });

  it("a name that does not resolve is reported in the same way", async () => {
    const failure = await new Asking(endpointsOf("http://tilth-nowhere.invalid/v1")).failure();
    expect(failure).toMatchObject({ code: "infra", hint: expect.stringContaining("TILTH_BASE_URL") });
  });

  it("an address that refuses after the first reply is an outage", async () => {
    const { model, asking } = await afterFirstReply([]);
    await model[Symbol.asyncDispose]();
    expect(await asking.failure()).toMatchObject({ code: "infra" });
    expect(sum(asking.clock.slept)).toBeGreaterThanOrEqual(600_000);
  });

  it("a best-effort question is retried once and waits out no outage", async () => {
    const { model, asking } = await afterFirstReply([{ status: 503 }, { status: 503 }, { status: 503 }]);
    await using _ = model;
    expect(await asking.failure({}, { bestEffort: true })).toMatchObject({ code: "infra" });
    expect(model.requests).toHaveLength(3);
    expect(sum(asking.clock.slept)).toBeLessThan(2_000);
  });

  it("a best-effort question does not wait when it is asked to", async () => {
    const { model, asking } = await afterFirstReply([{ status: 429, headers: { "retry-after": "60" } }]);
    await using _ = model;
    await asking.failure({}, { bestEffort: true });
    expect(asking.clock.slept).toEqual([]);
  });
});
