import type { Message, ToolDefinition } from "../model/port/model-client.js";

/** A rule of thumb for English and code, used until the provider has counted a prompt. */
const usualTokensPerChar = 1 / 4;
/** A lower ratio cannot be a count of the whole prompt: some providers leave out cached tokens. */
const leastTokensPerChar = 1 / 8;

/** Estimates the next prompt's tokens from its length and from what the provider counted last time. */
export class PromptSize {
  readonly #tools: number;
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

  #charsOf(messages: readonly Message[]): number {
    return this.#tools + JSON.stringify(messages).length;
  }
}
