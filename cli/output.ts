import { isatty } from "node:tty";
import pc from "picocolors";
import { forTerminal } from "../runner/support/sanitise.js";
import type { Painted } from "./painted.js";
import { type Sink, sinkTo } from "./sink.js";

const mostWaiting = 2_000;
/** legal in JSON, and able to act on a terminal or hide from a reader */
const acting = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Where lines go, and what it can show. */
export interface Target {
  readonly sink: Sink;
  readonly terminal: boolean;
  readonly coloured: boolean;
  /** how much of a progress line fits */
  columns(): number;
}

/** What a person sees: results on stdout, progress on stderr. Writing never blocks the brain. */
export class Output {
  readonly #results: Lines;
  readonly #progress: Lines;

  readonly #patienceMs: number;

  constructor(results: Target = standardOutput(), progress: Target = standardError(), patienceMs = 2_000) {
    this.#patienceMs = patienceMs;
    this.#results = new Lines(results, Number.POSITIVE_INFINITY);
    this.#progress = new Lines(progress, mostWaiting);
  }

  print(text: string | Painted): void {
    this.#results.add(text);
  }

  /** The same data to a program, harmless to a terminal. */
  printJson(value: unknown): void {
    this.#results.add(JSON.stringify(value, null, 2).replace(acting, escaped));
  }

  /** One line of progress, or a message; dropped when too many wait for a reader. */
  say(text: string | Painted): void {
    this.#progress.add(text);
  }

  /** Results wait for the reader of a pipe, who may be a person with a pager; nothing waits for a terminal that stands still. */
  async drain(signal: AbortSignal): Promise<void> {
    const results = this.#results.drained();
    await Promise.race([Promise.all([results, this.#progress.drained()]), elapsed(this.#patienceMs)]);
    if (!this.#results.terminal) await Promise.race([results, aborted(signal)]);
  }
}

/** One write is under way at a time; beyond the limit, lines are counted rather than kept. */
class Lines {
  readonly #target: Target;
  readonly #most: number;
  #waiting: string[] = [];
  #dropped = 0;
  #busy: Promise<void> | null = null;

  constructor(target: Target, most: number) {
    this.#target = target;
    this.#most = most;
  }

  get terminal(): boolean {
    return this.#target.terminal;
  }

  add(text: string | Painted): void {
    if (this.#waiting.length >= this.#most) this.#dropped += 1;
    else this.#waiting.push(`${this.#shown(text)}\n`);
    this.#busy ??= this.#flush();
  }

  async drained(): Promise<void> {
    while (this.#busy) await this.#busy;
  }

  #shown(text: string | Painted): string {
    if (typeof text === "string") return forTerminal(text);
    return text.render({ coloured: this.#target.coloured, columns: this.#target.columns() });
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const dropped = this.#dropped > 0 ? `… ${this.#dropped} lines not shown\n` : "";
      const batch = `${this.#waiting.join("")}${dropped}`;
      this.#waiting = [];
      this.#dropped = 0;
      await this.#target.sink(Buffer.from(batch));
    }
    this.#busy = null;
  }
}

function standardOutput(): Target {
  const terminal = isatty(1);
  return {
    sink: sinkTo(1),
    terminal,
    coloured: terminal && pc.isColorSupported,
    columns: () => Number.POSITIVE_INFINITY,
  };
}

function standardError(): Target {
  const terminal = isatty(2);
  const columns = () => (terminal && process.stderr.columns) || Number.POSITIVE_INFINITY;
  return { sink: sinkTo(2), terminal, coloured: terminal && pc.isColorSupported, columns };
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
