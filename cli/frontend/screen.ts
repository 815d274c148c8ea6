import { Writable } from "node:stream";
import { isatty } from "node:tty";
import pc from "picocolors";
import { type Sink, sinkTo } from "../output/sink.js";

/** The terminal on stderr, for drawing prompts. Like every output of tilth it never blocks the brain. */
export class Screen extends Writable implements Disposable {
  readonly isTTY = true;
  readonly coloured = isatty(2) && pc.isColorSupported;
  readonly #sink: Sink = sinkTo(2);
  readonly #resized = () => this.emit("resize");

  constructor() {
    super({ decodeStrings: true });
    process.stderr.on("resize", this.#resized);
  }

  get columns(): number {
    return process.stderr.columns || 80;
  }

  get rows(): number {
    return process.stderr.rows || 24;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    // a terminal that is gone is no error of a prompt
    this.#sink(bytes).then(
      () => done(),
      () => done(),
    );
  }

  /** Settles once everything written so far has gone out. */
  flushed(): Promise<void> {
    return new Promise((resolve) => this.write("", () => resolve()));
  }

  [Symbol.dispose](): void {
    process.stderr.off("resize", this.#resized);
  }
}
