import type { Message, ToolDefinition } from "../model/port/model-client.js";

/** Until a provider has counted: a rule of thumb for English and code. */
const usualTokensPerChar = 1 / 4;
/** Less is no count of a whole prompt: some leave out what they had in a cache. */
const leastTokensPerChar = 1 / 8;

/** How many tokens the next prompt comes to, by its length and by what the provider counted the last time. */
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
