/** Holds this process up as a stop signal would: nothing runs, and what comes meanwhile waits. */
export function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Long enough to be taken for a sleep, and no longer. */
export const briefSleepMs = 2_300;
