import { endOfLog, linesFrom } from "../../runner/session/log/follow-log.js";
import type { Output } from "../output/output.js";

const patienceMs = 2_000;

/** Prints each new line of a log on stdout. It reads them from the file, so a slow reader costs no memory. */
export class EventLines {
  readonly #output: Output;
  readonly #path: string;
  readonly #written: Promise<void>;
  #at: number;
  #ended = false;
  #wake = (): void => undefined;

  constructor(output: Output, path: string) {
    this.#output = output;
    this.#path = path;
    this.#at = endOfLog(path);
    this.#written = this.#write();
    // `end` reports the failure
    this.#written.catch(() => undefined);
  }

  more(): void {
    this.#wake();
  }

  /** Settles once everything is written, or some time after an interruption if the reader has stopped reading. */
  async end(signal: AbortSignal): Promise<void> {
    this.#ended = true;
    this.#wake();
    await Promise.race([this.#written, interruptedFor(patienceMs, signal)]);
  }

  async #write(): Promise<void> {
    for (;;) {
      const ended = this.#ended;
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const { lines, end } = await linesFrom(this.#path, this.#at);
      this.#at = end;
      if (lines.length > 0) await this.#output.printJsonLines(lines);
      else if (ended) return;
      else if (!this.#ended) await woken;
    }
  }
}

async function interruptedFor(ms: number, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await new Promise((resolve) => setTimeout(resolve, ms).unref());
}
