import type { PlainTurn } from "../../runner/demo/script/script.js";
import type { JumpingClock } from "./asking.js";
import { bodyOf } from "./wire-answers.js";

const windowMs = 40_000;

export type SayHeaders = (left: number, inMs: number, clock: JumpingClock) => Readonly<Record<string, string>>;

/** A reply with a provider's headers and the date by the provider's own clock. */
export function replyWith(headers: Readonly<Record<string, string>>, clock: JumpingClock): PlainTurn {
  return {
    status: 200,
    headers: { date: clock.now().toUTCString(), ...headers },
    body: bodyOf({ quiet: "hello back" }, { usage: { prompt_tokens: 100, completion_tokens: 20 } }),
  };
}

/** Allows so much in each window of 40 seconds, takes `cost` of it for each request, and refuses requests beyond it. */
export class LimitedEndpoint {
  refused = 0;
  readonly #clock: JumpingClock;
  readonly #say: SayHeaders;
  readonly #most: number;
  readonly #cost: number;
  #left: number;
  #endsMs = 0;

  constructor(clock: JumpingClock, say: SayHeaders, { most = 2, cost = 1 } = {}) {
    this.#clock = clock;
    this.#say = say;
    this.#most = most;
    this.#cost = cost;
    this.#left = most;
  }

  readonly turn = (): PlainTurn => {
    const nowMs = this.#clock.now().getTime();
    if (nowMs >= this.#endsMs) {
      this.#left = this.#most;
      this.#endsMs = nowMs + windowMs;
    }
    if (this.#left < this.#cost) {
      this.refused += 1;
      return { status: 429, body: { error: { message: "too fast" } } };
    }
    this.#left -= this.#cost;
    return replyWith(this.#say(this.#left, this.#endsMs - nowMs, this.#clock), this.#clock);
  };
}
