export interface TerminalHolder {
  /** Gives the terminal back as it was. */
  release(): Promise<void>;
  /** Takes the terminal again, whatever happened to it meanwhile. */
  take(): void;
}

/** by then a job that can be stopped has long been */
const patienceMs = 100;

/** A question that can be left with Ctrl-Z, or stopped from elsewhere, and taken up again. */
export class Suspension implements Disposable {
  #away = false;
  #timer: NodeJS.Timeout | null = null;
  readonly #held: TerminalHolder;
  readonly #back = () => {
    this.#away = false;
    this.#held.take();
  };

  constructor(held: TerminalHolder) {
    this.#held = held;
    process.on("SIGCONT", this.#back);
  }

  async stop(): Promise<void> {
    if (this.#away) return;
    this.#away = true;
    await this.#held.release();
    // stops the whole process group, as the terminal does
    process.kill(0, "SIGTSTP");
    // the kernel does not stop a job without a shell to wake it, so take the terminal back
    this.#timer = setTimeout(() => setImmediate(() => this.#away && this.#back()), patienceMs);
  }

  [Symbol.dispose](): void {
    this.#away = false;
    process.off("SIGCONT", this.#back);
    if (this.#timer) clearTimeout(this.#timer);
  }
}
