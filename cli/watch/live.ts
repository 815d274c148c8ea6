import type { TilthEvent } from "../../runner/index.js";
import type { Usage } from "../../runner/session/usage.js";
import type { Caps } from "../../runner/settings.js";
import type { Output } from "../output.js";
import { frameOf } from "./frame.js";
import { RunState, type Start } from "./run-state.js";

const tickMs = 1_000;
/** events come in bursts, and nobody sees more frames than this */
const settleMs = 80;
/** long after a job that can be stopped has been */
const stoppedMs = 100;

/** The run as it stands, drawn in place below its progress until it is disposed. */
export class LiveView implements Disposable {
  readonly #output: Output;
  readonly #caps: Caps;
  readonly #started = performance.now();
  readonly #state: RunState;
  readonly #tick = setInterval(() => this.#draw(), tickMs).unref();
  #soon: NodeJS.Timeout | null = null;
  #away = false;
  readonly #suspended = () => void this.#leave();
  readonly #continued = () => this.#comeBack();

  constructor(output: Output, caps: Caps, start: Start) {
    this.#output = output;
    this.#caps = caps;
    this.#state = new RunState(start, this.#started);
    process.on("SIGCONT", this.#continued);
    process.on("SIGTSTP", this.#suspended);
    this.#draw();
  }

  heard(event: TilthEvent): void {
    this.#state.heard(event, performance.now());
    this.#drawSoon();
  }

  arriving(chars: number): void {
    this.#state.arriving(chars, performance.now());
    this.#drawSoon();
  }

  usedSoFar(used: Usage): void {
    this.#state.used = { ...used };
    this.#draw();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#tick);
    if (this.#soon) clearTimeout(this.#soon);
    process.off("SIGCONT", this.#continued);
    process.off("SIGTSTP", this.#suspended);
    this.#away = false;
    this.#output.status([]);
  }

  /** With Ctrl-Z: taken away first, for what is drawn next would be drawn over what the shell says. */
  async #leave(): Promise<void> {
    this.#away = true;
    this.#output.status([]);
    await this.#output.drain(AbortSignal.abort());
    process.off("SIGTSTP", this.#suspended);
    process.kill(process.pid, "SIGTSTP");
    // a job that no shell would wake is not stopped at all
    setTimeout(() => this.#comeBack(), stoppedMs).unref();
  }

  #comeBack(): void {
    if (!this.#away) return;
    this.#away = false;
    process.on("SIGTSTP", this.#suspended);
    this.#draw();
  }

  #drawSoon(): void {
    this.#soon ??= setTimeout(() => this.#draw(), settleMs).unref();
  }

  #draw(): void {
    this.#soon = null;
    const window = this.#away ? null : this.#output.window;
    if (window === null) return;
    const now = performance.now();
    const state = this.#state;
    const ms = now - this.#started - state.outsideMs(now);
    const frame = { state, caps: this.#caps, ms, doingMs: now - state.since };
    this.#output.status(frameOf(frame, window));
  }
}
