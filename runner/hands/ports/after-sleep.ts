import { HandsLost } from "./hands.js";

/**
 * Does `work` again each time a container ended only because this process was held up, so `work` must be harmless to
 * repeat. `lost` is called for each such loss.
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
