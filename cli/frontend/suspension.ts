export interface Held {
  /** Gives the terminal back as it was found. */
  release(): Promise<void>;
  /** Takes it again, whatever happened to it meanwhile. */
  take(): void;
}

/** long after a job that can be stopped has been */
const patienceMs = 100;

/** A question that is left with Ctrl-Z, or stopped from elsewhere, and come back to. */
export class Suspension implements Disposable {
  #away = false;
  #timer: NodeJS.Timeout | null = null;
  readonly #held: Held;
  readonly #back = () => {
    this.#away = false;
    this.#held.take();
  };

  constructor(held: Held) {
    this.#held = held;
    process.on("SIGCONT", this.#back);
  }

  async stop(): Promise<void> {
    if (this.#away) return;
    this.#away = true;
    await this.#held.release();
    // with whoever started it, as the terminal does it
    process.kill(0, "SIGTSTP");
    // a job that no shell would wake is not stopped at all
    this.#timer = setTimeout(() => setImmediate(() => this.#away && this.#back()), patienceMs);
  }

  [Symbol.dispose](): void {
    this.#away = false;
    process.off("SIGCONT", this.#back);
    if (this.#timer) clearTimeout(this.#timer);
  }
}
