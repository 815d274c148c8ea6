import { setTimeout as wait } from "node:timers/promises";

const beatMs = 500;
/** a busy process comes late as well; for so long it may */
const mostLateMs = 2_000;
const longestTimerMs = 2 ** 31 - 1;

/**
 * Counts the time in which this process ran. What passed while it was stopped, or its machine slept, counts for nothing: the
 * answers to whatever was asked before could not be heard. All time-outs of the runner are measured here.
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

/** Milliseconds awake, from some moment on; never goes back. */
export function awakeMs(): number {
  return time.ms;
}

/** Milliseconds asleep so far: two looks tell whether this process was held up between them. */
export function asleepMs(): number {
  return time.asleepMs;
}

export interface AwakeTimer {
  clear(): void;
}

/** Does `action` after so much time awake; it keeps no process alive by itself. */
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

/** As AbortSignal.timeout, of time awake. */
export function awakeSignal(ms: number): AbortSignal {
  const aborted = new AbortController();
  afterAwake(ms, () => aborted.abort(new DOMException("it took too long", "TimeoutError")));
  return aborted.signal;
}

/** For looking again and again at what cannot tell by itself. */
export async function pause(ms: number): Promise<void> {
  await wait(ms);
}
