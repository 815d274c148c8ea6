import { setTimeout as wait } from "node:timers/promises";

const beatMs = 500;
/** a busy process looks late as well; a delay up to this long is no sleep */
const mostLateMs = 2_000;
const longestTimerMs = 2 ** 31 - 1;

/**
 * Counts the time in which this process ran. Time in which it was stopped, or its machine slept, does not count,
 * because no answer could be heard then. All time-outs of the runner are measured here.
 */
class AwakeTime {
  #asleepMs = 0;
  #seenMs = performance.now();

  constructor() {
    setInterval(() => this.#look(), beatMs).unref();
  }

  get ms(): number {
    return this.#look() - this.#asleepMs;
  }

  get asleepMs(): number {
    this.#look();
    return this.#asleepMs;
  }

  #look(): number {
    const now = performance.now();
    const gap = now - this.#seenMs;
    if (gap > mostLateMs) this.#asleepMs += gap - beatMs;
    this.#seenMs = now;
    return now;
  }
}

const time = new AwakeTime();

/** Milliseconds awake since some fixed moment; never goes back. */
export function awakeMs(): number {
  return time.ms;
}

/** Milliseconds asleep so far: two readings tell whether this process was held up between them. */
export function asleepMs(): number {
  return time.asleepMs;
}

export interface AwakeTimer {
  clear(): void;
}

/** Runs `action` after this much time awake; the timer keeps no process alive by itself. */
export function afterAwake(ms: number, action: () => void): AwakeTimer {
  const due = time.ms + ms;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const left = due - time.ms;
    if (left <= 0) action();
    else timer = setTimeout(look, Math.min(Math.ceil(left), longestTimerMs)).unref();
  };
  timer = setTimeout(look, Math.min(Math.ceil(ms), longestTimerMs)).unref();
  return { clear: () => clearTimeout(timer) };
}

/** Like AbortSignal.timeout, but counts only time awake. */
export function awakeSignal(ms: number): AbortSignal {
  const aborted = new AbortController();
  afterAwake(ms, () => aborted.abort(new DOMException("it took too long", "TimeoutError")));
  return aborted.signal;
}

/** Waits before the next look at something that has to be polled. */
export async function pause(ms: number): Promise<void> {
  await wait(ms);
}
