import type { TilthEvent } from "../../runner/index.js";
import type { Usage } from "../../runner/session/summary/usage.js";
import type { Caps } from "../../runner/settings/settings.js";
import type { Output, Window } from "../output/output.js";
import type { Painted } from "../output/painted.js";
import { frameOf } from "./frame.js";
import { InPlace } from "./in-place.js";
import { RunState, type Start } from "./run-state.js";

const tickMs = 1_000;

/** The current state of a run, drawn in place below its progress until disposed. */
export class LiveView implements Disposable {
  readonly #caps: Caps;
  readonly #started = performance.now();
  readonly #state: RunState;
  readonly #drawn: InPlace;
  readonly #tick = setInterval(() => this.#drawn.draw(), tickMs).unref();

  constructor(output: Output, caps: Caps, start: Start) {
    this.#caps = caps;
    this.#state = new RunState(start, this.#started);
    this.#drawn = new InPlace(output, (window) => this.#frame(window));
    this.#drawn.draw();
  }

  heard(event: TilthEvent): void {
    this.#state.heard(event, performance.now());
    this.#drawn.drawSoon();
  }

  arriving(chars: number): void {
    this.#state.arriving(chars, performance.now());
    this.#drawn.drawSoon();
  }

  usedSoFar(used: Usage): void {
    this.#state.used = { ...used };
    this.#drawn.draw();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#tick);
    this.#drawn[Symbol.dispose]();
  }

  #frame(window: Window): readonly Painted[] {
    const now = performance.now();
    const state = this.#state;
    const ms = now - this.#started - state.outsideMs(now);
    return frameOf({ state, caps: this.#caps, ms, doingMs: now - state.since }, window);
  }
}
