import { type Fields, fieldsOf } from "../wire/fields.js";
import { reasoningAsText } from "../wire/reasoning.js";
import { type Assembly, fieldsIn, hasError } from "./assembly.js";
import { CallPieces } from "./call-pieces.js";
import { Pieces } from "./pieces.js";
import type { ServerEvent } from "./server-events.js";

/** Puts a chat completion together from its chunks. */
export class ChatAssembly implements Assembly {
  readonly #pieces = new Pieces();
  readonly #calls = new CallPieces(this.#pieces);
  readonly #around: Record<string, unknown> = {};
  readonly #choice: Record<string, unknown> = {};
  readonly #message: Record<string, unknown> = {};
  /** null until a chunk mentions any */
  #choices: "none" | "one" | null = null;
  #failure: Fields | null = null;
  #isEnded = false;

  get isDone(): boolean {
    return this.#isEnded || this.#failure !== null;
  }

  get isWhole(): boolean {
    const { finish_reason } = this.#choice;
    return this.isDone || (typeof finish_reason === "string" && finish_reason !== "");
  }

  get chars(): number {
    const { content, refusal } = this.#message;
    // the same thought may have come under several names
    const thought = reasoningAsText(this.#message);
    const parts = Array.isArray(content) ? content.map((part) => fieldsOf(part).text) : [content];
    const given = this.#calls.whole.map((call) => fieldsOf(call.function).arguments);
    return [thought, refusal, ...parts, ...given].reduce((sum: number, text) => sum + lengthOf(text), 0);
  }

  take(event: ServerEvent): void {
    if (event.data.trim() === "[DONE]") {
      this.#isEnded = true;
      return;
    }
    const { choices, ...around } = fieldsIn(event);
    if (hasError(around)) {
      this.#failure = around;
      return;
    }
    this.#pieces.into(this.#around, around);
    if (!Array.isArray(choices)) return;
    this.#choices ??= "none";
    if (choices.length > 0) this.#chosen(fieldsOf(choices[0]));
  }

  answer(): Fields {
    if (this.#failure !== null) return this.#failure;
    if (this.#choices === null) return this.#around;
    return { ...this.#around, choices: this.#choices === "one" ? [{ ...this.#choice, message: this.#whole() }] : [] };
  }

  #chosen({ delta, message, ...choice }: Fields): void {
    this.#choices = "one";
    if (hasError(choice)) this.#failure = { choices: [choice] };
    this.#pieces.into(this.#choice, choice);
    const { tool_calls, ...said } = fieldsOf(delta ?? message);
    this.#pieces.into(this.#message, said);
    for (const call of Array.isArray(tool_calls) ? tool_calls : []) this.#calls.add(fieldsOf(call));
  }

  /**
   * Drops texts that stayed empty, because without a stream they would not be there. DeepSeek wants its thoughts back
   * with each call, even when empty.
   */
  #whole(): Fields {
    const calls = this.#calls.ended;
    const kept = calls.length === 0 ? "content" : "reasoning_content";
    const said = Object.entries(this.#message).filter(([name, value]) => value !== "" || name === kept);
    return { ...Object.fromEntries(said), ...(calls.length === 0 ? {} : { tool_calls: calls }) };
  }
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
