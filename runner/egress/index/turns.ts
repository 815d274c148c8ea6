/** Lets a fixed number run at once; the others wait, first come, first served. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Waits for a turn, which ends when the result is disposed of. Fails with the signal's reason. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#next(signal);
    return { [Symbol.dispose]: () => this.#pass() };
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.delete(turn);
        reject(signal.reason);
      };
      this.#waiting.add(turn);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
