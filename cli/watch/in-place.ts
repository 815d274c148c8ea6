import type { Output, Window } from "../output/output.js";
import type { Painted } from "../output/painted.js";

/** events come in bursts, and nobody sees more frames than this */
const settleMs = 80;
/** long after a job that can be stopped has been */
const stoppedMs = 100;

/** Lines drawn again in place below all progress until it is disposed; nothing where progress goes to no terminal. */
export class InPlace implements Disposable {
  readonly #output: Output;
  readonly #lines: (window: Window) => readonly Painted[];
  #soon: NodeJS.Timeout | null = null;
  #away = false;
  readonly #suspended = () => void this.#leave();
  readonly #continued = () => this.#comeBack();

  constructor(output: Output, lines: (window: Window) => readonly Painted[]) {
    this.#output = output;
    this.#lines = lines;
    process.on("SIGCONT", this.#continued);
    process.on("SIGTSTP", this.#suspended);
  }

  draw(): void {
    this.#soon = null;
    const window = this.#away ? null : this.#output.window;
    if (window !== null) this.#output.status(this.#lines(window));
  }

  drawSoon(): void {
    this.#soon ??= setTimeout(() => this.draw(), settleMs).unref();
  }

  [Symbol.dispose](): void {
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
    this.draw();
  }
}
