import type { Clock } from "../../base/clock.js";
import type { Fault } from "./faults.js";

/** The next step after a failed attempt. `why` says which limit ended the question. */
export type Decision =
  | { readonly retry: true; readonly waitMs: number }
  | { readonly retry: false; readonly why: "final" | "unreachable" | "best_effort" | "outage" }
  | { readonly retry: false; readonly why: "asked_to_wait"; readonly askedMs: number; readonly leftMs: number };

export interface PatienceOptions {
  readonly clock: Clock;
  readonly outageMs: number;
  readonly bestEffort: boolean;
  /** 0 to 1; the share of the largest jitter that a wait gets */
  readonly random: () => number;
}

const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** The longest wait for a refused address before the first reply, and for a best-effort question. */
export const shortWaitMs = 2_000;
const mostJitterMs = 5_000;

/** Lengthens a wait, never shortens it, so that those who wait for the same moment do not ask in the same instant. */
export function lengthened(ms: number, random: () => number): number {
  return ms + random() * Math.min(ms / 2, mostJitterMs);
}

/** Decides how one question goes on after faults: one instance per question, told of every fault. */
export class Patience {
  readonly #options: PatienceOptions;
  #attempts = 0;
  #refusals = 0;
  #startedMs: number | null = null;
  #isForgiving = false;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  get attempts(): number {
    return this.#attempts;
  }

  /** Forgets all failures so far. */
  forgive(): void {
    this.#isForgiving = true;
    this.#refusals = 0;
    this.#startedMs = null;
    this.#attempts = 0;
  }

  /** Takes time that was spent on another wait out of the outage. */
  leaveOut(ms: number): void {
    if (this.#startedMs !== null) this.#startedMs += ms;
  }

  /** True when the endpoint was asked before a sleep: trouble with it now is no setting's fault. */
  get isForgiving(): boolean {
    return this.#isForgiving;
  }

  /** `seenWorking` means that the run has had a reply, so an address that is refused now is an outage. */
  after(fault: Fault, seenWorking: boolean): Decision {
    this.#attempts += 1;
    this.#startedMs ??= this.#options.clock.monotonicMs();
    if (fault.kind !== "passing" && fault.kind !== "unreachable") return { retry: false, why: "final" };
    const asked = fault.kind === "passing" ? this.#askedMs(fault) : null;
    if (fault.kind === "unreachable") this.#refusals += 1;
    if (this.#options.bestEffort) return this.#once("best_effort", this.#attempts, asked);
    if (fault.kind === "unreachable" && !seenWorking) return this.#once("unreachable", this.#refusals, null);
    return this.#withinOutage(asked);
  }

  #once(why: "best_effort" | "unreachable", times: number, askedMs: number | null): Decision {
    if (times > 1 || (askedMs ?? 0) > shortWaitMs) return { retry: false, why };
    return { retry: true, waitMs: this.#lengthened(askedMs ?? firstWaitMs) };
  }

  #withinOutage(askedMs: number | null): Decision {
    const leftMs = Math.max(0, this.#options.outageMs - this.#elapsedMs());
    if (askedMs !== null) {
      if (askedMs > leftMs) return { retry: false, why: "asked_to_wait", askedMs, leftMs };
      return { retry: true, waitMs: Math.max(askedMs, Math.min(this.#lengthened(askedMs), leftMs)) };
    }
    if (leftMs === 0 && this.#attempts > 1) return { retry: false, why: "outage" };
    const backoff = Math.min(longestWaitMs, firstWaitMs * 2 ** (this.#attempts - 1));
    return { retry: true, waitMs: Math.min(this.#lengthened(backoff), Math.max(leftMs, firstWaitMs)) };
  }

  #lengthened(ms: number): number {
    return lengthened(ms, this.#options.random);
  }

  #elapsedMs(): number {
    return this.#options.clock.monotonicMs() - (this.#startedMs ?? 0);
  }

  #askedMs(fault: Fault & { kind: "passing" }): number | null {
    const { retryAfter } = fault;
    if (retryAfter === null) return null;
    const ms = "forMs" in retryAfter ? retryAfter.forMs : retryAfter.untilMs - this.#options.clock.now().getTime();
    // an endpoint that is down for good may ask for no wait each time, and would be asked without pause
    return ms < firstWaitMs ? null : ms;
  }
}
