import { Interrupted } from "../../../../base/errors.js";
import type { StartAhead } from "./ahead.js";
import { type CheckSandbox, type StartCheckSandbox, Zygote } from "./zygote.js";

/** A check container whose tools are loaded. */
export interface WarmCheck extends AsyncDisposable {
  readonly container: CheckSandbox;
  readonly zygote: Zygote;
}

interface Waiting extends WarmCheck {
  taken(): void;
}

/** Check containers, at most one of them started before it is needed. */
export class CheckPool implements AsyncDisposable {
  readonly #stopping = new AbortController();
  readonly #retiring = new Set<Promise<void>>();
  #ahead: Promise<Waiting | null> | null = null;

  constructor(
    private readonly startContainer: StartCheckSandbox,
    private readonly env: Readonly<Record<string, string>>,
    private readonly startAhead: StartAhead = async (signal) => ({
      container: await startContainer(signal),
      taken: () => undefined,
    }),
    private readonly python?: string,
  ) {}

  prepare(): void {
    if (this.#stopping.signal.aborted) return;
    const before = this.#ahead;
    this.#ahead = this.#renewed(before);
  }

  async take(signal: AbortSignal): Promise<WarmCheck> {
    const ahead = this.#ahead;
    this.#ahead = null;
    if (ahead) {
      const warm = await this.#wait(ahead, signal);
      warm?.taken();
      if (warm && !warm.container.isLost) return warm;
      await warm?.[Symbol.asyncDispose]();
    }
    return this.#warm(await this.startContainer(signal), signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    const warm = await this.#ahead;
    this.#ahead = null;
    await warm?.[Symbol.asyncDispose]();
    await Promise.all(this.#retiring);
  }

  /** Swallows errors: `take` then starts a container itself and meets the same problem. */
  async #renewed(before: Promise<Waiting | null> | null): Promise<Waiting | null> {
    const old = await before;
    if (old && !old.container.isLost) return old;
    try {
      await old?.[Symbol.asyncDispose]();
      const { signal } = this.#stopping;
      const started = await this.startAhead(signal);
      return started && { ...(await this.#warm(started.container, signal)), taken: () => started.taken() };
    } catch {
      return null;
    }
  }

  async #warm(container: CheckSandbox, signal: AbortSignal): Promise<WarmCheck> {
    try {
      const zygote = new Zygote(container, this.env, this.python);
      await zygote.start(signal);
      return { container, zygote, [Symbol.asyncDispose]: async () => this.#retire(container) };
    } catch (error) {
      await container[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * Only the pool's own end waits for the end of a used container; if its removal fails, it is reaped by its labels.
   */
  #retire(container: CheckSandbox): void {
    const retiring = Promise.resolve(container[Symbol.asyncDispose]()).catch(() => undefined);
    this.#retiring.add(retiring);
    void retiring.then(() => this.#retiring.delete(retiring));
  }

  async #wait(ahead: Promise<Waiting | null>, signal: AbortSignal): Promise<Waiting | null> {
    let stop = () => {};
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(new Interrupted());
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop);
    });
    try {
      return await Promise.race([ahead, aborted]);
    } catch (error) {
      if (this.#ahead) void ahead.then((warm) => warm?.[Symbol.asyncDispose]());
      else this.#ahead = ahead;
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}
