import type { HandsLost } from "../../hands/ports/hands.js";
import type { EventSink, Payload } from "./events.js";

/** The log's fields for a loss. */
export function lossOf(loss: HandsLost): Omit<Payload<"hands_lost">, "during"> {
  return { role: loss.role, detail: loss.message, ...ifAsleep(loss) };
}

export function ifAsleep({ asleep }: Pick<HandsLost, "asleep">): { readonly asleep?: true } {
  return asleep ? { asleep: true } : {};
}

/** Containers that ended while the machine slept. Their work is repeated silently, so only the log mentions them. */
export class SleepLosses {
  #log: EventSink | null = null;

  readonly note = (loss: HandsLost): void => {
    this.#log?.append("hands_lost", { ...lossOf(loss), during: null });
  };

  recordIn(log: EventSink): void {
    this.#log = log;
  }
}
