import { isatty } from "node:tty";
import pc from "picocolors";
import type { TilthError } from "../../runner/base/errors.js";
import { diskTrouble, errnoCode } from "../../runner/disk/disk-trouble.js";
import { forTerminal } from "../../runner/text/sanitise.js";
import type { Painted } from "./painted.js";
import { type Sink, sinkTo } from "./sink.js";
import { StatusBlock } from "./status-block.js";

const mostWaiting = 2_000;
/** characters that are legal in JSON but act on a terminal or hide from a reader */
const acting = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** error codes for a reader that has closed its end */
const gone: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"]);

/** A destination of lines, and its abilities. */
export interface Target {
  readonly sink: Sink;
  readonly terminal: boolean;
  readonly coloured: boolean;
  /** width of a progress line */
  columns(): number;
  /** height in lines */
  rows(): number;
}

/** The size of the terminal that progress goes to. */
export interface Window {
  readonly columns: number;
  readonly rows: number;
}

/** The output for a person: results on stdout, progress on stderr. Writing never blocks the brain. */
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

  /** Prints JSON that is the same data for a program and harmless to a terminal. */
  printJson(value: unknown): void {
    this.#results.add(harmless(JSON.stringify(value, null, 2)));
  }

  /**
   * Prints a JSON document too large to hold: each piece is made once the one before it was taken. Ends early if nobody
   * is left to read it; TilthError `infra` if it cannot be written.
   */
  async streamJson(pieces: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
    const interrupted = aborted(signal);
    for await (const piece of pieces) {
      const taken = await this.#results.handOver(harmless(piece), interrupted);
      signal.throwIfAborted();
      if (!taken) return;
    }
  }

  /** Adds one line of progress, or a message; dropped if too many lines wait for a reader. */
  say(text: string | Painted): void {
    this.#progress.add(text);
  }

  /** Adds a message that must be read to its end: the terminal wraps it, while progress lines are cut off. */
  tell(text: Painted): void {
    this.#progress.add(text, Number.POSITIVE_INFINITY);
  }

  /** Prints JSON lines of a log; settles once they are written. */
  async printJsonLines(lines: readonly string[]): Promise<void> {
    for (const one of lines) this.#results.add(harmless(one));
    await this.#results.drained();
  }

  /** Null if progress does not go to a terminal. */
  get window(): Window | null {
    return this.#progress.window;
  }

  /** The widest that a table of results may be. */
  get tableColumns(): number {
    const window = this.#results.terminal ? this.window : null;
    return window?.columns ?? Number.POSITIVE_INFINITY;
  }

  /** Draws these lines below all progress, replacing the previous ones. */
  status(lines: readonly Painted[]): void {
    this.#progress.restate(lines);
  }

  /** The error that kept results from their destination; null if all arrived, or nobody is left to read them. */
  get trouble(): TilthError | null {
    const { failed } = this.#results;
    return failed === null ? null : diskTrouble("write", "the output", failed);
  }

  /**
   * Results wait for the reader of a pipe, who may be a person with a pager; nothing waits for a terminal that has
   * stopped.
   */
  async drain(signal: AbortSignal): Promise<void> {
    const results = this.#results.drained();
    await Promise.race([Promise.all([results, this.#progress.drained()]), elapsed(this.#patienceMs)]);
    if (!this.#results.terminal) await Promise.race([results, aborted(signal)]);
  }
}

/** Writes one batch at a time; lines beyond the limit are counted instead of kept. */
class Lines {
  readonly #target: Target;
  readonly #most: number;
  readonly #block = new StatusBlock();
  #status: readonly Painted[] = [];
  #restated = false;
  #waiting: string[] = [];
  #dropped = 0;
  #busy: Promise<void> | null = null;
  /** the first failed write that somebody was there to read */
  failed: unknown = null;

  constructor(target: Target, most: number) {
    this.#target = target;
    this.#most = most;
  }

  get terminal(): boolean {
    return this.#target.terminal;
  }

  add(text: string | Painted, columns = this.#target.columns()): void {
    if (this.#waiting.length >= this.#most) this.#dropped += 1;
    else this.#waiting.push(`${this.#shown(text, columns)}\n`);
    this.#busy ??= this.#flush();
  }

  get window(): Window | null {
    const { terminal } = this.#target;
    return terminal ? { columns: this.#target.columns(), rows: this.#target.rows() } : null;
  }

  restate(lines: readonly Painted[]): void {
    this.#status = lines;
    this.#restated = true;
    this.#busy ??= this.#flush();
  }

  /**
   * Writes text unchanged, after all waiting lines; false if nobody is left to read. Stops waiting at `interrupted`.
   */
  async handOver(text: string, interrupted: Promise<void>): Promise<boolean> {
    const written = this.drained().then(() => this.#target.sink(Buffer.from(text)));
    try {
      await Promise.race([written, interrupted]);
      return true;
    } catch (error) {
      if (gone.has(errnoCode(error) ?? "")) return false;
      throw diskTrouble("write", "the output", error);
    }
  }

  async drained(): Promise<void> {
    while (this.#busy) await this.#busy;
  }

  #shown(text: string | Painted, columns: number): string {
    if (typeof text === "string") return forTerminal(text);
    return text.render({ ...this.#look(), columns });
  }

  #look() {
    return { coloured: this.#target.coloured, columns: this.#target.columns() };
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#restated) {
      const dropped = this.#dropped > 0 ? `… ${this.#dropped} lines not shown\n` : "";
      const batch = `${this.#waiting.join("")}${dropped}`;
      this.#waiting = [];
      this.#dropped = 0;
      this.#restated = false;
      const text = this.#block.redraw(batch, this.#status, this.#look());
      // a target without readers or without space must not hold anything up
      await this.#target.sink(Buffer.from(text)).catch((error) => this.#missed(error));
    }
    this.#busy = null;
  }

  #missed(error: unknown): void {
    if (!this.terminal && !gone.has(errnoCode(error) ?? "")) this.failed ??= error;
  }
}

function standardOutput(): Target {
  return { ...targetAt(1), columns: () => Number.POSITIVE_INFINITY };
}

function standardError(): Target {
  return targetAt(2);
}

function targetAt(fd: 1 | 2): Target {
  const terminal = isatty(fd);
  const { stderr } = process;
  return {
    sink: sinkTo(fd),
    terminal,
    coloured: terminal && pc.isColorSupported,
    columns: () => (terminal && stderr.columns) || Number.POSITIVE_INFINITY,
    rows: () => (terminal && stderr.rows) || 24,
  };
}

function harmless(json: string): string {
  return json.replace(acting, escaped);
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
