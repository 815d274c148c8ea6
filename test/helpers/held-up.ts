/** Holds this process up as a stop signal would: nothing runs, and whatever arrives meanwhile waits. */
export function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Just long enough to be taken for a sleep. */
export const briefSleepMs = 2_300;
