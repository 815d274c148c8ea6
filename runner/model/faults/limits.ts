import type { Clock } from "../../base/clock.js";
import type { Endpoint } from "../../settings/endpoints.js";
import type { Usage } from "../port/model-client.js";
import {
  type Allowance,
  allowancesIn,
  isUsedUpByOne,
  neededOf,
  readyMs,
  sayLack,
  type TokenNeed,
} from "./allowance.js";
import type { Fault } from "./faults.js";
import { isWaitable, timesOf } from "./reset.js";

/** The limits of one key at one endpoint, for one model, as far as they are known. */
export interface KnownLimit {
  /** the moment its headers came; all moments are milliseconds of the wall clock */
  readonly atMs: number;
  /** the end of the wait that a refusal asked for; null when none did */
  readonly refusedUntilMs: number | null;
  readonly allowances: readonly Allowance[];
}

/** Limits shared by everyone who asks with the same key. Both methods are best effort and never fail. */
export interface KnownLimits {
  of(endpoint: Endpoint): KnownLimit | null;
  keep(endpoint: Endpoint, limit: KnownLimit): void;
}

/** A reason not to ask yet. */
export interface Hold {
  readonly untilMs: number;
  readonly reason: string;
  /** the limits that cause it */
  readonly names: readonly string[];
}

/** Other sessions hear of a limit only when less is left than this many requests like the last one need. */
const crowd = 16;
const noTokens: TokenNeed = { promptTokens: 0, newTokens: 0 };

/**
 * The trust in a limit's headers.
 * - `waited`: it was waited for, and the next answer must show more
 * - `on_proof`: that answer did not, or the limit names a moment too far off, so one request goes out in spite of it
 * - `lies`: that request was answered
 * - `proved`: that request was refused
 */
type Trust = "waited" | "on_proof" | "lies" | "proved";

/** Tells what one route may ask, by the headers of its answers and by the refusals that it or others met. */
export class Limits {
  readonly #endpoint: Endpoint;
  readonly #shared: KnownLimits;
  readonly #clock: Pick<Clock, "now">;
  readonly #trust = new Map<string, Trust>();
  #cachedShare = 0;
  #lastNeed = noTokens;
  /** the limit as it was when the last request was about to go out */
  #before: KnownLimit | null = null;

  constructor(endpoint: Endpoint, known: KnownLimits, clock: Pick<Clock, "now">) {
    this.#endpoint = endpoint;
    this.#shared = known;
    this.#clock = clock;
  }

  /**
   * Call this before each request. A limit that asks for a longer wait than `mostMs` is put to the proof by sending the
   * request: headers may lie, the limit may have been lifted since the refusal, and a new refusal repeats it.
   */
  hold(promptTokens: number, mostMs: number): Hold | null {
    this.#lastNeed = { promptTokens, newTokens: Math.ceil(promptTokens * (1 - this.#cachedShare)) };
    const nowMs = this.#nowMs();
    const known = this.#current(nowMs);
    this.#before = known;
    if (known === null) return null;
    const { refusedUntilMs } = known;
    const holds = known.allowances.flatMap((allowance) => this.#holdOf(allowance, known.atMs, { nowMs, mostMs }));
    if (refusedUntilMs !== null && refusedUntilMs > nowMs && refusedUntilMs - nowMs <= mostMs)
      holds.push({ untilMs: refusedUntilMs, reason: "the endpoint asked to wait", names: [] });
    const last = holds.reduce<Hold | null>((a, b) => (a === null || b.untilMs > a.untilMs ? b : a), null);
    return last && { ...last, names: holds.flatMap(({ names }) => names) };
  }

  /**
   * Call this when the request goes out, with what was waited for: it deducts its share, so that other sessions do not
   * count on that.
   */
  sent(waitedFor: Hold | null): void {
    for (const name of waitedFor?.names ?? []) if (this.#trust.get(name) !== "proved") this.#trust.set(name, "waited");
    // without a wait, nothing has happened since `hold` looked
    if (waitedFor !== null) this.#before = this.#current(this.#nowMs());
    const known = this.#before;
    if (known === null || known.allowances.length === 0) return;
    const allowances = known.allowances.map((allowance) => ({
      ...allowance,
      left: Math.max(0, allowance.left - neededOf(allowance, this.#lastNeed)),
    }));
    this.#shared.keep(this.#endpoint, { ...known, allowances });
  }

  answered(headers: Headers, { promptTokens, cachedTokens }: Usage): void {
    this.#cachedShare = promptTokens === 0 ? 0 : cachedTokens / promptTokens;
    const nowMs = this.#nowMs();
    const told = allowancesIn(headers, timesOf(headers, nowMs));
    // most endpoints tell nothing, and a look into the shared file would hold up each call
    if (told.length === 0 && (this.#before?.allowances ?? []).length === 0) return;
    for (const allowance of told) this.#weigh(allowance);
    const scarce = told.filter((one) => this.#isBelieved(one) && one.left < crowd * neededOf(one, this.#lastNeed));
    const before = this.#current(nowMs);
    if (scarce.length === 0 && (before === null || before.allowances.length === 0)) return;
    this.#shared.keep(this.#endpoint, {
      atMs: nowMs,
      refusedUntilMs: before?.refusedUntilMs ?? null,
      allowances: scarce,
    });
  }

  /** A 429 is waited for as long as it asks, else until the limit's headers say that there is more. */
  refused(headers: Headers, fault: Fault & { kind: "passing" }): Fault {
    for (const [name, trust] of this.#trust) if (trust === "on_proof") this.#trust.set(name, "proved");
    const nowMs = this.#nowMs();
    const untilMs = askedUntil(fault, nowMs) ?? toldUntil(headers, this.#lastNeed, nowMs);
    if (untilMs === null) return fault;
    if (isWaitable(untilMs - nowMs))
      this.#shared.keep(this.#endpoint, { atMs: nowMs, refusedUntilMs: Math.ceil(untilMs), allowances: [] });
    return { ...fault, isLimit: true, retryAfter: fault.retryAfter ?? { untilMs } };
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }

  /** Ignores limits from the future: somebody has set the clock back. */
  #current(nowMs: number): KnownLimit | null {
    const known = this.#shared.of(this.#endpoint);
    return known !== null && known.atMs <= nowMs ? known : null;
  }

  #holdOf(allowance: Allowance, atMs: number, { nowMs, mostMs }: { nowMs: number; mostMs: number }): Hold[] {
    if (!this.#isBelieved(allowance)) return [];
    const untilMs = readyMs(allowance, this.#lastNeed, atMs);
    if (untilMs === null || untilMs <= nowMs) return [];
    if (untilMs - nowMs > mostMs) {
      this.#trust.set(allowance.name, "on_proof");
      return [];
    }
    return [{ untilMs, reason: sayLack(allowance), names: [allowance.name] }];
  }

  #isBelieved({ name }: Allowance): boolean {
    const trust = this.#trust.get(name);
    return trust !== "on_proof" && trust !== "lies";
  }

  #weigh(allowance: Allowance): void {
    const { name, left } = allowance;
    const trust = this.#trust.get(name);
    if (trust === undefined || trust === "proved" || trust === "lies") return;
    const isShort = left < neededOf(allowance, this.#lastNeed);
    if (!isShort || (trust === "waited" && isUsedUpByOne(allowance, this.#lastNeed))) this.#trust.delete(name);
    else this.#trust.set(name, trust === "waited" ? "on_proof" : "lies");
  }
}

function askedUntil({ retryAfter }: Fault & { kind: "passing" }, nowMs: number): number | null {
  if (retryAfter === null) return null;
  return "forMs" in retryAfter ? nowMs + retryAfter.forMs : retryAfter.untilMs;
}

/** Returns the moment at which the headers of a refusal promise enough for the refused request. */
function toldUntil(headers: Headers, { promptTokens, newTokens }: TokenNeed, nowMs: number): number | null {
  const need = { promptTokens: Math.max(1, promptTokens), newTokens: Math.max(1, newTokens) };
  const moments = allowancesIn(headers, timesOf(headers, nowMs)).map((told) => readyMs(told, need, nowMs));
  return moments.reduce((last, ms) => (ms !== null && ms > (last ?? 0) ? ms : last), null);
}

/** Limits of one process alone, for a run without a home. */
export class OwnLimits implements KnownLimits {
  readonly #limits = new Map<string, KnownLimit>();

  of(endpoint: Endpoint): KnownLimit | null {
    return this.#limits.get(keyOf(endpoint)) ?? null;
  }

  keep(endpoint: Endpoint, limit: KnownLimit): void {
    this.#limits.set(keyOf(endpoint), limit);
  }
}

function keyOf({ baseUrl, apiKey, model }: Endpoint): string {
  return JSON.stringify([baseUrl, apiKey, model]);
}
