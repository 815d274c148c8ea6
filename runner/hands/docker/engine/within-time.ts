import { afterAwake } from "../../../base/awake.js";
import { Interrupted } from "../../../base/errors.js";
import { EngineSilent } from "./engine-errors.js";

export interface Limit {
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** Waits for `asked` no longer than the limit; the request itself may still go on. */
export async function withinTime<T>(asked: Promise<T>, { ms, signal }: Limit): Promise<T> {
  if (signal.aborted) throw new Interrupted();
  let stop: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    const timer = afterAwake(ms, () => reject(new EngineSilent(ms / 1000)));
    const onAbort = () => reject(new Interrupted());
    signal.addEventListener("abort", onAbort, { once: true });
    stop = () => {
      timer.clear();
      signal.removeEventListener("abort", onAbort);
    };
  });
  try {
    return await Promise.race([asked, ended]);
  } finally {
    stop();
    asked.catch(() => undefined);
  }
}
