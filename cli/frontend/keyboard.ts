import { PassThrough } from "node:stream";
import { Interrupted } from "../../runner/base/errors.js";

const patienceMs = 50;
const ctrlC = 3;
const ctrlZ = 26;

/**
 * The keys of the terminal on stdin, for as long as one question is open; `suspend` is Ctrl-Z. A terminal that goes
 * away does no harm: its modes can no longer be set, and Node's own reader would crash the process over that.
 */
export class Keyboard extends PassThrough implements Disposable {
  readonly isTTY = true;
  readonly #gone = new AbortController();
  readonly #take = (bytes: Buffer) => {
    if (bytes.length === 1 && bytes[0] === ctrlZ) this.emit("suspend");
    // Node's line reader would stop the process and hear nothing ever after
    else this.write(bytes.filter((byte) => byte !== ctrlZ));
  };
  readonly #leave = () => this.#gone.abort();

  constructor() {
    super();
    const { stdin } = process;
    for (const event of ["end", "error", "close"]) stdin.on(event, this.#leave);
    if (stdin.readableEnded || stdin.destroyed) this.#leave();
    this.setRawMode(true);
    stdin.on("data", this.#take).resume();
  }

  /** Aborts once no more keys can come. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Keys typed before the question stood there do not answer it: a stray "y" must not permit anything. */
  async dropTyped(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, patienceMs));
    const typed: Buffer | null = this.read();
    if (typed?.includes(ctrlC)) throw new Interrupted();
  }

  /** Another program may have changed the terminal's modes meanwhile, and Node skips a mode it believes to be set. */
  takeBack(): void {
    this.setRawMode(false).setRawMode(true);
  }

  setRawMode(on: boolean): this {
    try {
      process.stdin.setRawMode(on);
    } catch {
      this.#leave();
    }
    return this;
  }

  [Symbol.dispose](): void {
    const { stdin } = process;
    stdin.off("data", this.#take).pause();
    for (const event of ["end", "error", "close"]) stdin.off(event, this.#leave);
    this.setRawMode(false);
  }
}
