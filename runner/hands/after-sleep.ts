import { HandsLost } from "./hands.js";

/**
 * Does `work` again, as often as a container ended under it only because this process was held up. What it does must be
 * harmless to do twice. `lost` is told of each such loss.
 */
export async function againAfterSleep<T>(work: () => Promise<T>, lost?: (loss: HandsLost) => void): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof HandsLost) || !error.asleep) throw error;
      lost?.(error);
    }
  }
}
