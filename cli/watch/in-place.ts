import type { Output, Window } from "../output/output.js";
import type { Painted } from "../output/painted.js";

/** events come in bursts, and nobody can see more frames than this */
const settleMs = 80;
/** by then a job that can be stopped has long been */
const stoppedMs = 100;

/** Lines redrawn in place below all progress until disposed; nothing if progress does not go to a terminal. */
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

  /** On Ctrl-Z the lines are removed first, because the next drawing would overwrite the shell's output. */
  async #leave(): Promise<void> {
    this.#away = true;
    this.#output.status([]);
    await this.#output.drain(AbortSignal.abort());
    process.off("SIGTSTP", this.#suspended);
    process.kill(process.pid, "SIGTSTP");
    // the kernel does not stop a job without a shell to wake it, so go on drawing
    setTimeout(() => this.#comeBack(), stoppedMs).unref();
  }

  #comeBack(): void {
    if (!this.#away) return;
    this.#away = false;
    process.on("SIGTSTP", this.#suspended);
    this.draw();
  }
}
