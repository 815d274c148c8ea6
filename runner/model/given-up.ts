import type { Fault } from "./faults/faults.js";
import type { Message, Own } from "./port/model-client.js";

/**
 * Fields that providers sent and no longer take back. Some bind a model's thoughts to everything before them: once a
 * conversation is folded, its earlier replies can only go back without these fields.
 */
export class GivenUp {
  readonly #owns = new WeakSet<Own>();

  /** Returns whether the next request will differ from the refused one. */
  learn(messages: readonly Message[], fault: Fault): boolean {
    if (fault.kind !== "final" || !fault.refusesSeals) return false;
    const left = ownsIn(messages).filter((own) => !this.#owns.has(own) && Object.keys(own.fields).length > 0);
    for (const own of left) this.#owns.add(own);
    return left.length > 0;
  }

  without(messages: readonly Message[]): readonly Message[] {
    return messages.map((message) =>
      message.role === "assistant" && message.own !== null && this.#owns.has(message.own)
        ? { ...message, own: { ...message.own, fields: {} } }
        : message,
    );
  }
}

function ownsIn(messages: readonly Message[]): readonly Own[] {
  return messages.flatMap((message) => (message.role === "assistant" && message.own !== null ? [message.own] : []));
}
