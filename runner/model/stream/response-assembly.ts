import { type Fields, fieldsOf } from "../wire/fields.js";
import { type Assembly, fieldsIn, hasError } from "./assembly.js";
import type { ServerEvent } from "./server-events.js";

const lastEvent = /^response\.(completed|incomplete|failed|cancelled)$/;

/** Puts a reply of the Responses interface together: its last event holds the whole of it. */
export class ResponseAssembly implements Assembly {
  readonly #items = new Map<number, unknown>();
  #answer: Fields | null = null;
  #chars = 0;

  get isDone(): boolean {
    return this.#answer !== null;
  }

  get isWhole(): boolean {
    return this.isDone;
  }

  get chars(): number {
    return this.#chars;
  }

  take(event: ServerEvent): void {
    // other interfaces end with this, and gateways copy it from them
    if (event.data.trim() === "[DONE]") return;
    const fields = fieldsIn(event);
    const { type = event.name, response, item, output_index, delta, error } = fields;
    const [, status] = lastEvent.exec(String(type)) ?? [];
    if (status !== undefined) this.#answer = { error, ...this.#filled(fieldsOf(response)), status };
    else if (hasError(fields)) this.#answer = fields;
    else if (type === "response.output_item.done")
      this.#items.set(typeof output_index === "number" ? output_index : this.#items.size, item);
    else if (typeof delta === "string") this.#chars += delta.length;
  }

  answer(): Fields {
    return this.#answer ?? {};
  }

  /** Some servers give each item only when it is done, and not in the last event. */
  #filled(response: Fields): Fields {
    const { output } = response;
    if (this.#items.size === 0 || (Array.isArray(output) && output.length > 0)) return response;
    const inOrder = [...this.#items].sort(([one], [other]) => one - other);
    return { ...response, output: inOrder.map(([, item]) => item) };
  }
}
