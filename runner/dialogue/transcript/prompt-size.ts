import { commonStart } from "../../base/common-start.js";
import type { Message, ToolDefinition } from "../../model/port/model-client.js";

/** A rule of thumb for English and code, used until the provider has counted a prompt. */
const usualTokensPerChar = 1 / 4;
/** A lower ratio cannot be a count of the whole prompt: some providers leave out cached tokens. */
const leastTokensPerChar = 1 / 8;

/** Estimates the next prompt's tokens from its length and from what the provider counted last time. */
export class PromptSize {
  readonly #tools: number;
  /** the messages that were counted last, and for each the characters up to its end */
  #messages: readonly Message[] = [];
  #ends: readonly number[] = [];
  #tokensPerChar = usualTokensPerChar;

  constructor(tools: readonly ToolDefinition[]) {
    this.#tools = JSON.stringify(tools).length;
  }

  tokensOf(messages: readonly Message[]): number {
    return Math.ceil(this.#charsOf(messages) * this.#tokensPerChar);
  }

  learn(messages: readonly Message[], promptTokens: number): void {
    this.#tokensPerChar = Math.max(leastTokensPerChar, promptTokens / this.#charsOf(messages));
  }

  /** A message never changes, and a prompt is the one before and a little more. */
  #charsOf(messages: readonly Message[]): number {
    const same = commonStart(this.#messages, messages);
    const ends = this.#ends.slice(0, same);
    // a comma or a bracket follows each
    for (const message of messages.slice(same)) ends.push((ends.at(-1) ?? 1) + JSON.stringify(message).length + 1);
    this.#messages = messages;
    this.#ends = ends;
    return this.#tools + (ends.at(-1) ?? 2);
  }
}
