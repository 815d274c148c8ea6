import { afterAwake, asleepMs } from "../../base/awake.js";
import { AnsweredPings } from "./answered-pings.js";

const missedPings = 3;
const usualLeaseMs = 60_000;
/** after a sleep, pending input is read before anything is written to a stream that may be dead */
const settleMs = 200;

export interface HeartbeatOptions {
  readonly heartbeatMs: number;
  /** time that the resident lives on without a frame; a minute by default */
  readonly leaseMs?: number;
}

interface Listeners {
  readonly ping: () => void;
  /** called when pings go unanswered */
  readonly silent: () => void;
}

/**
 * Pings the resident and notices when it is silent. Counts beats, not time: a brain that was stopped itself must not
 * blame the resident.
 */
export class Heartbeat {
  readonly #listeners: Listeners;
  readonly #pings: AnsweredPings;
  readonly #timer: NodeJS.Timeout;
  #slept = asleepMs();
  #unanswered = 0;
  #isOpen = false;
  #isHeld = false;

  constructor({ heartbeatMs, leaseMs = usualLeaseMs }: HeartbeatOptions, listeners: Listeners) {
    this.#listeners = listeners;
    this.#pings = new AnsweredPings(leaseMs);
    this.#timer = setInterval(() => this.#beat(), heartbeatMs);
    this.#timer.unref();
  }

  /** True when this process has slept so long since an answered ping that the resident may have given it up. */
  get sleptSince(): boolean {
    return this.#pings.sleptSince;
  }

  /** The resident has said hello. */
  open(): void {
    this.#isOpen = true;
  }

  /** Something came from the resident. */
  heard(): void {
    this.#unanswered = 0;
  }

  answered(): void {
    this.#pings.answered();
  }

  /** Nothing is read until `release`, so silence is no fault of the resident. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.heard();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    if (!this.#isOpen) return;
    if (!this.#isHeld) {
      if (this.#unanswered >= missedPings) this.#listeners.silent();
      this.#unanswered += 1;
    }
    const before = this.#slept;
    this.#slept = asleepMs();
    if (this.#slept === before) this.#ping();
    else afterAwake(settleMs, () => this.#ping());
  }

  #ping(): void {
    this.#pings.sent();
    this.#listeners.ping();
  }
}
