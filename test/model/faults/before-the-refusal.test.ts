import { describe, expect, it } from "vitest";
import { Interrupted } from "../../../runner/base/errors.js";
import { type KnownLimits, OwnLimits } from "../../../runner/model/faults/limits.js";
import { Asking, JumpingClock } from "../../helpers/asking.js";
import { LimitedEndpoint, replyWith, type SayHeaders } from "../../helpers/limited-endpoint.js";
import { endpointsOf, startModel, type Turn } from "../../helpers/scripted-model.js";

/** The limits of a client that waits for the refusal. */
const deaf: KnownLimits = { of: () => null, keep: () => undefined };
const sum = (ms: readonly number[]) => ms.reduce((a, b) => a + b, 0);
const inSeconds = (ms: number) => `${ms / 1000}s`;
const asDate = (ms: number, clock: JumpingClock) => new Date(clock.now().getTime() + ms).toISOString();
const prefixed = (say: SayHeaders): SayHeaders => {
  return (...told) =>
    Object.fromEntries(Object.entries(say(...told)).map(([name, it]) => [`llm_provider-${name}`, it]));
};

const openaiRequests: SayHeaders = (left, ms) => ({
  "x-ratelimit-limit-requests": "2",
  "x-ratelimit-remaining-requests": String(left),
  "x-ratelimit-reset-requests": inSeconds(ms),
});
const openaiTokens: SayHeaders = (left, ms) => ({
  "x-ratelimit-remaining-tokens": String(left),
  "x-ratelimit-reset-tokens": inSeconds(ms),
});
const anthropic =
  (what: string): SayHeaders =>
  (left, ms, clock) => ({
    [`anthropic-ratelimit-${what}-remaining`]: String(left),
    [`anthropic-ratelimit-${what}-reset`]: asDate(ms, clock),
  });
const openrouter: SayHeaders = (left, ms, clock) => ({
  "X-RateLimit-Limit": "2",
  "X-RateLimit-Remaining": String(left),
  "X-RateLimit-Reset": String(clock.now().getTime() + ms),
});
const generic: SayHeaders = (left, ms) => ({
  "ratelimit-remaining": String(left),
  "ratelimit-reset": String(ms / 1000),
});

const byRequests: Readonly<Record<string, SayHeaders>> = {
  "OpenAI's requests": openaiRequests,
  "Anthropic's requests": anthropic("requests"),
  "Anthropic's tokens of replies": anthropic("output-tokens"),
  "OpenRouter's requests": openrouter,
  "a plain limit of requests": generic,
};
const byTokens: Readonly<Record<string, SayHeaders>> = {
  "OpenAI's tokens": openaiTokens,
  "Anthropic's tokens": anthropic("tokens"),
  "Anthropic's tokens of prompts": anthropic("input-tokens"),
};
const twice = (families: Readonly<Record<string, SayHeaders>>, endpoint: { most: number; cost: number }) =>
  Object.entries(families).flatMap(([name, say]): [string, SayHeaders, typeof endpoint][] => [
    [name, say, endpoint],
    [`${name}, behind a gateway`, prefixed(say), endpoint],
  ]);

describe("a limit that is used up", () => {
  // the question is some hundred characters long, so after two of them too little is left for a third
  it.each([...twice(byRequests, { most: 2, cost: 1 }), ...twice(byTokens, { most: 101, cost: 50 })])(
    "is waited for before it refuses: %s",
    async (_, say, given) => {
      const clock = new JumpingClock();
      const endpoint = new LimitedEndpoint(clock, say, given);
      await using model = await startModel({ worker: endpoint.turn });
      const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock });
      const began = clock.now().getTime();
      for (let n = 0; n < 4; n += 1) await asking.ask();
      expect([endpoint.refused, asking.retries, model.requests.length]).toEqual([0, [], 4]);
      expect(asking.waits).toHaveLength(1);
      expect(asking.waits[0]?.until).toEqual(new Date(began + 40_000));
      expect(asking.waits[0]?.reason).toMatch(/^no (requests|tokens) are left$|^1 tokens are left, too few/);
      expect(sum(clock.slept)).toBe(40_000);

      const naive = { clock: new JumpingClock() };
      const again = new LimitedEndpoint(naive.clock, say, given);
      await using other = await startModel({ worker: again.turn });
      const careless = new Asking(endpointsOf(other.baseUrl), {}, { ...naive, limits: deaf });
      for (let n = 0; n < 3; n += 1) await careless.ask();
      expect([again.refused > 0, careless.retries.length > 0, careless.waits]).toEqual([true, true, []]);
    },
  );

  it.each<[string, Readonly<Record<string, string>>]>([
    ["no headers", {}],
    [
      "plenty of both",
      { ...openaiRequests(900, 1, new JumpingClock()), ...openaiTokens(90_000, 1, new JumpingClock()) },
    ],
    ["a limit without a moment", { "x-ratelimit-remaining-requests": "0" }],
    ["a moment that is garbage", { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "soon" }],
    ["a count that is garbage", { "x-ratelimit-remaining-requests": "none", "x-ratelimit-reset-requests": "30s" }],
    ["a count below nothing", { "x-ratelimit-remaining-requests": "-1", "x-ratelimit-reset-requests": "30s" }],
    ["a moment that has passed", { "ratelimit-remaining": "0", "ratelimit-reset": "0" }],
    ["a moment in another century", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9".repeat(300) }],
  ])("is not waited for with %s", async (_, headers) => {
    const clock = new JumpingClock();
    await using model = await startModel({ worker: () => replyWith(headers, clock) });
    const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock });
    for (let n = 0; n < 3; n += 1) await asking.ask();
    expect([clock.slept, asking.waits, asking.retries]).toEqual([[], [], []]);
  });

  it("has its date read by the clock of whoever sent it", async () => {
    const clock = new JumpingClock();
    const headers = { date: "Thu, 01 Jan 2026 00:00:00 GMT", ...anthropic("requests")(0, 0, clock) };
    const reset = { "anthropic-ratelimit-requests-reset": "2026-01-01T00:00:40Z" };
    await using model = await startModel({ worker: [replyWith({ ...headers, ...reset }, clock), { quiet: "x" }] });
    const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock });
    await asking.ask();
    await asking.ask();
    expect(sum(clock.slept)).toBe(40_000);
  });

  it("that comes back bit by bit over a day is waited for only until the missing share is there", async () => {
    const clock = new JumpingClock();
    const headers = {
      "x-ratelimit-limit-requests": "200",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "24h0m0s",
    };
    await using model = await startModel({ worker: [replyWith(headers, clock), { quiet: "x" }] });
    const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock });
    await asking.ask();
    await asking.ask();
    expect(sum(clock.slept)).toBe(86_400_000 / 200);
  });

  it("does not count what Anthropic's cache is expected to serve", async () => {
    const served = async (cached: number) => {
      const clock = new JumpingClock();
      const usage = { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: cached } };
      const turn = replyWith(anthropic("input-tokens")(10, 40_000, clock), clock);
      const body = { ...JSON.parse(String("body" in turn ? turn.body : "")), usage };
      await using model = await startModel({ worker: [{ ...turn, body }, { quiet: "x" }] as Turn[] });
      const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock });
      await asking.ask();
      await asking.ask();
      return sum(clock.slept);
    };
    expect([await served(0), await served(95)]).toEqual([40_000, 0]);
  });

  it("costs neither an attempt nor a minute of the outage that its wait falls into", async () => {
    const outage = async (refusedForMs: number) => {
      const [clock, limits] = [new JumpingClock(), new OwnLimits()];
      const busy: Turn = { status: 503, headers: { "retry-after": "540" } };
      await using model = await startModel({ worker: [{ status: 503 }, busy, { quiet: "x" }] });
      const endpoints = endpointsOf(model.baseUrl);
      const asking = new Asking(endpoints, { maxOutageMinutes: 10 }, { clock, limits });
      await asking.ask(
        {},
        {
          onRetry: (retry) => {
            asking.retries.push(retry);
            const atMs = clock.now().getTime();
            limits.keep(endpoints.worker, { atMs, refusedUntilMs: atMs + refusedForMs, allowances: [] });
          },
        },
      );
      return { attempts: asking.retries.map(({ attempt }) => attempt), told: asking.waits.length };
    };
    expect(await outage(540_000)).toEqual({ attempts: [1, 2], told: 1 });
    expect(await outage(0)).toEqual({ attempts: [1, 2], told: 0 });
  });

  it.each([
    ["0", 40_000],
    ["20", 40_000],
    ["9000", 500],
  ])("that refuses with %s tokens left is waited out for %i ms", async (left, ms) => {
    const headers = { "x-ratelimit-remaining-tokens": left, "x-ratelimit-reset-tokens": "40s" };
    await using model = await startModel({ worker: [{ status: 429, headers }, { quiet: "x" }] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    await asking.ask();
    expect(asking.clock.slept).toEqual([ms]);
  });

  it("is not asked again by all who wait in one instant, nor by any before its reset", async () => {
    const waited = [0, 0.5, 1].map(async (share) => {
      const clock = new JumpingClock();
      const used = replyWith({ "ratelimit-remaining": "0", "ratelimit-reset": "30" }, clock);
      await using model = await startModel({ worker: [used, { quiet: "x" }] });
      const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock, random: () => share });
      await asking.ask();
      await asking.ask();
      return sum(clock.slept);
    });
    expect(await Promise.all(waited)).toEqual([30_000, 32_500, 35_000]);
  });

  it("ends a best-effort question rather than have it wait", async () => {
    const clock = new JumpingClock();
    const used = replyWith({ "ratelimit-remaining": "0", "ratelimit-reset": "30" }, clock);
    await using model = await startModel({ worker: [used, { quiet: "x" }] });
    const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock });
    await asking.ask();
    expect(await asking.failure({}, { bestEffort: true })).toMatchObject({
      code: "infra",
      message: expect.stringContaining("no requests are left"),
    });
    expect([model.requests.length, clock.slept]).toEqual([1, []]);
  });

  it("is waited for no longer after an interruption", async () => {
    const clock = new JumpingClock();
    const used = replyWith({ "ratelimit-remaining": "0", "ratelimit-reset": "300" }, clock);
    await using model = await startModel({ worker: [used] });
    const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock });
    await asking.ask();
    const aborted = new AbortController();
    const failure = asking.failure({}, { signal: aborted.signal, onLimitWait: () => aborted.abort() });
    expect(await failure).toBeInstanceOf(Interrupted);
    expect(model.requests).toHaveLength(1);
  });
});

describe("the wait for a limit", () => {
  /** The clock is set during the second nap of the wait. */
  class SetClock extends JumpingClock {
    constructor(readonly by: number) {
      super();
    }

    override async sleep(ms: number, signal: AbortSignal): Promise<void> {
      await super.sleep(ms, signal);
      if (this.slept.length === 2) this.setBy(this.by);
    }
  }

  it.each([
    ["a machine that slept has waited", 3_600_000, 60_000],
    ["a clock that was set back draws it out by nothing", -3_600_000, 300_000],
  ])("goes by the wall clock: %s", async (_, by, sleptMs) => {
    const clock = new SetClock(by);
    const used = replyWith({ "ratelimit-remaining": "0", "ratelimit-reset": "300" }, clock);
    await using model = await startModel({ worker: [used, { quiet: "x" }] });
    const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock });
    await asking.ask();
    await asking.ask();
    expect(sum(clock.slept)).toBe(sleptMs);
  });

  it("is forgotten when the clock was set back after the limit was learned", async () => {
    const clock = new JumpingClock();
    const used = replyWith({ "ratelimit-remaining": "0", "ratelimit-reset": "300" }, clock);
    await using model = await startModel({ worker: [used, { quiet: "x" }] });
    const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock });
    await asking.ask();
    clock.setBy(-365 * 86_400_000);
    await asking.ask();
    expect(clock.slept).toEqual([]);
  });
});

describe("headers that lie", () => {
  const always = (headers: Readonly<Record<string, string>>) => async (times: number) => {
    const clock = new JumpingClock();
    await using model = await startModel({ worker: () => replyWith(headers, clock) });
    const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock });
    for (let n = 0; n < times; n += 1) await asking.ask();
    return asking;
  };

  it("of nothing left for ever are waited for once, and found out by the next request", async () => {
    const asking = await always({ "ratelimit-remaining": "0", "ratelimit-reset": "300" })(20);
    expect(asking.waits).toHaveLength(1);
    expect(sum(asking.clock.slept)).toBe(300_000);
  });

  it("do not become true by a refusal for another reason", async () => {
    const clock = new JumpingClock();
    const lie = replyWith({ "ratelimit-remaining": "0", "ratelimit-reset": "300" }, clock);
    const busy: Turn = { status: 429, headers: { "retry-after": "5" } };
    await using model = await startModel({ worker: [lie, busy, lie, lie, lie, busy, lie, lie, lie] });
    const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock });
    for (let n = 0; n < 7; n += 1) await asking.ask();
    expect([asking.waits.length, asking.retries.length]).toEqual([1, 2]);
  });

  it("of nothing left for a week neither stall nor end what the endpoint answers", async () => {
    const asking = await always({ "ratelimit-remaining": "0", "ratelimit-reset": "604800" })(20);
    expect([asking.waits, asking.clock.slept]).toEqual([[], []]);
  });

  it("are told from a limit of one request for each window, which is waited for each time", async () => {
    const clock = new JumpingClock();
    const say: SayHeaders = (left, ms) => ({ ...openaiRequests(left, ms, clock), "x-ratelimit-limit-requests": "1" });
    const endpoint = new LimitedEndpoint(clock, say, { most: 1 });
    await using model = await startModel({ worker: endpoint.turn });
    const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock });
    for (let n = 0; n < 5; n += 1) await asking.ask();
    expect([endpoint.refused, asking.waits.length]).toEqual([0, 4]);
  });

  it("are told from a limit that others use up too, which refuses once and is believed from then on", async () => {
    const clock = new JumpingClock();
    const endpoint = new LimitedEndpoint(clock, generic, { most: 1 });
    await using model = await startModel({ worker: endpoint.turn });
    const asking = new Asking(endpointsOf(model.baseUrl), {}, { clock });
    for (let n = 0; n < 3; n += 1) await asking.ask();
    const { refused } = endpoint;
    for (let n = 0; n < 5; n += 1) await asking.ask();
    expect([refused > 0, endpoint.refused - refused]).toEqual([true, 0]);
  });

  it.each(["in a moment\n", "скоро", "5\0"])(
    "with values that no header can hold are waited out: %j",
    async (reset) => {
      const headers = { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset };
      const body = { error: { message: "slow down", code: 429, metadata: { headers } } };
      await using model = await startModel({ worker: [{ status: 429, body }, { quiet: "hello back" }] });
      const asking = new Asking(endpointsOf(model.baseUrl));
      expect((await asking.ask()).message.content).toBe("hello back");
      expect(asking.retries).toHaveLength(1);
    },
  );
});
