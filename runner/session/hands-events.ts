import type { HandsLost } from "../hands/hands.js";
import type { EventSink, Payload } from "./events.js";

/** A loss as the log tells it. */
export function lossOf(loss: HandsLost): Omit<Payload<"hands_lost">, "during"> {
  return { role: loss.role, detail: loss.message, ...ifAsleep(loss) };
}

export function ifAsleep({ asleep }: Pick<HandsLost, "asleep">): { readonly asleep?: true } {
  return asleep ? { asleep: true } : {};
}

/** Containers that ended in a sleep and whose work is done again without a word: the log alone is told. */
export class SleepLosses {
  #log: EventSink | null = null;

  readonly note = (loss: HandsLost): void => {
    this.#log?.append("hands_lost", { ...lossOf(loss), during: null });
  };

  recordIn(log: EventSink): void {
    this.#log = log;
  }
}
