import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type KnownLimit, type KnownLimits, Limits, OwnLimits } from "../../../runner/model/faults/limits.js";
import { LimitsFile } from "../../../runner/model/remembered/known-limits.js";
import { Asking, JumpingClock } from "../../helpers/asking.js";
import { replyWith } from "../../helpers/limited-endpoint.js";
import { scratch } from "../../helpers/scratch.js";
import { canaryKey, endpointsOf, startModel, type Turn } from "../../helpers/scripted-model.js";

const { worker } = endpointsOf("http://127.0.0.1:9/v1");
const now = Date.UTC(2030, 0, 1);
const name = "x-ratelimit-requests";
const used: KnownLimit = {
  atMs: now,
  refusedUntilMs: null,
  allowances: [{ name, left: 0, most: 5, untilMs: now + 40_000 }],
};
const refusal: KnownLimit = { atMs: now, refusedUntilMs: now + 40_000, allowances: [] };
const contentOf = (home: string) => readFileSync(join(home, "limits.json"), "utf8");

describe("the remainder of a limit", () => {
  it("is known to every session that asks the same address for the same model with the same key", () => {
    const home = scratch();
    new LimitsFile(home).keep(worker, used);
    const next = new LimitsFile(home);
    expect(next.of(worker)).toEqual(used);
    const others = [
      { apiKey: "another" },
      { apiKey: null },
      { model: "another" },
      { baseUrl: "http://127.0.0.1:8/v1" },
    ];
    expect(others.map((other) => next.of({ ...worker, ...other }))).toEqual([null, null, null, null]);
  });

  it("is kept under a hash, so that nobody reads a key or an address there", () => {
    const home = scratch();
    new LimitsFile(home).keep(worker, used);
    expect(contentOf(home)).toMatch(/"key": "[0-9a-f]{64}"/);
    expect(contentOf(home)).not.toContain(canaryKey);
    expect(contentOf(home)).not.toContain("127.0.0.1");
    expect(statSync(join(home, "limits.json")).mode & 0o777).toBe(0o600);
  });

  it("is read again when another session has learned more", () => {
    const home = scratch();
    const [one, other] = [new LimitsFile(home), new LimitsFile(home)];
    one.keep(worker, used);
    other.keep(worker, { ...refusal, atMs: now + 1 });
    expect(one.of(worker)).toEqual({ ...refusal, atMs: now + 1 });
    one.keep(worker, { ...used, atMs: now + 2 });
    expect([one.of(worker), other.of(worker)]).toEqual([
      { ...used, atMs: now + 2 },
      { ...used, atMs: now + 2 },
    ]);
  });

  it.each<[string, (home: string) => void]>([
    ["torn", (home) => writeFileSync(join(home, "limits.json"), '{"v": 1, "limits": [{')],
    ["of another kind", (home) => writeFileSync(join(home, "limits.json"), '{"v": 2, "limits": "none"}')],
    ["a folder, which nobody can write", (home) => mkdirSync(join(home, "limits.json"))],
  ])("is unknown from a file that is %s, and a session still knows what it learned itself", (_, spoil) => {
    const home = scratch();
    spoil(home);
    const file = new LimitsFile(home);
    expect(file.of(worker)).toBeNull();
    file.keep(worker, used);
    expect(file.of(worker)).toEqual(used);
  });

  it("is kept while it counts, for two hundred limits at most, and names that are unknown here are ignored", () => {
    const home = scratch();
    const file = new LimitsFile(home);
    const model = (n: number) => ({ ...worker, model: `model-${n}` });
    for (let n = 0; n < 201; n += 1) file.keep(model(n), used);
    const next = new LimitsFile(home);
    expect([next.of(model(0)), next.of(model(1)), next.of(model(200))]).toEqual([null, used, used]);
    const later = { ...used, atMs: now + 40_000, allowances: [{ ...used.allowances[0], name: "new" }] } as KnownLimit;
    file.keep(worker, later);
    expect(JSON.parse(contentOf(home)).limits).toHaveLength(1);
    expect(new LimitsFile(home).of(worker)?.allowances).toEqual([]);
  });
});

describe("several sessions of one home", () => {
  const sharing = (home: string): KnownLimits => new LimitsFile(home);
  const alone = (): KnownLimits => new OwnLimits();

  /** The first session meets `turn`, and then the second one asks. */
  async function afterAnother(turn: (clock: JumpingClock) => Turn, limitsOf: (home: string) => KnownLimits) {
    const [clock, home] = [new JumpingClock(), scratch()];
    const hello: Turn = { quiet: "hello" };
    await using model = await startModel({ worker: [turn(clock), hello, hello] });
    const session = () => new Asking(endpointsOf(model.baseUrl), {}, { clock, limits: limitsOf(home) });
    const [first, second] = [session(), session()];
    // a refused session gives up at once
    const ended = new AbortController();
    await first.failure({}, { onRetry: () => ended.abort(), signal: ended.signal });
    await second.ask();
    return { second, sleptMs: clock.slept.reduce((a, b) => a + b, 0) };
  }

  const nothingLeft = (clock: JumpingClock): Turn =>
    replyWith({ "ratelimit-remaining": "0", "ratelimit-reset": "40" }, clock);
  const refused = (): Turn => ({ status: 429, headers: { "retry-after": "40" } });
  const told = (): Turn => ({ status: 429, headers: { "ratelimit-remaining": "0", "ratelimit-reset": "40" } });
  const inTheBody = (clock: JumpingClock): Turn => {
    const headers = { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": String(clock.now().getTime() + 40_000) };
    const body = { error: { code: 429, message: "free-models-per-min", metadata: { headers } } };
    return { status: 429, headers: { date: clock.now().toUTCString() }, body };
  };

  it.each([
    ["nothing is left", nothingLeft],
    ["a refusal", refused],
    ["a refusal that tells when by the limit's headers alone", told],
    ["a refusal that tells when in its body", inTheBody],
  ])("wait for a limit that only one was told of, where they would otherwise ask at once: %s", async (_, turn) => {
    const ours = await afterAnother(turn, sharing);
    expect(ours.sleptMs).toBe(40_000);
    expect(ours.second.waits).toHaveLength(1);
    const naive = await afterAnother(turn, alone);
    expect([naive.sleptMs, naive.second.waits]).toEqual([0, []]);
  });

  it("neither wait nor write when plenty is left", async () => {
    const [clock, home] = [new JumpingClock(), scratch()];
    const headers = { "ratelimit-remaining": "900", "ratelimit-reset": "40" };
    await using model = await startModel({ worker: () => replyWith(headers, clock) });
    for (let n = 0; n < 2; n += 1)
      await new Asking(endpointsOf(model.baseUrl), {}, { clock, limits: new LimitsFile(home) }).ask();
    expect(clock.slept).toEqual([]);
    expect(statSync(join(home, "limits.json"), { throwIfNoEntry: false })).toBeUndefined();
  });

  it("count what another one has sent, even before its answer comes", () => {
    const [home, clock] = [scratch(), new JumpingClock()];
    const session = () => new Limits(worker, new LimitsFile(home), clock);
    const [first, second] = [session(), session()];
    new LimitsFile(home).keep(worker, { ...used, allowances: [{ name, left: 1, most: 5, untilMs: now + 40_000 }] });
    expect(second.hold(10, 60_000)).toBeNull();
    expect(first.hold(10, 60_000)).toBeNull();
    first.sent(null);
    expect(second.hold(10, 60_000)).toMatchObject({ untilMs: now + 40_000, reason: "no requests are left" });
  });
});
