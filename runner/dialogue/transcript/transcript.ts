import { TilthError } from "../../base/errors.js";
import { ContextFull, type Message, type ModelReply, type ToolCall } from "../../model/port/model-client.js";
import type { Payload, Span } from "../../session/log/events.js";
import type { ToolSet } from "../../tools/tool/registry.js";
import type { AskDeps } from "../ask.js";
import { ask, type Question } from "../ask.js";
import { foldResults, type Reach } from "./fold-results.js";
import { foldSeeds } from "./fold-seeds.js";
import { PromptSize } from "./prompt-size.js";

/** The role in a conversation, and the remedy if the conversation grows too long. */
export interface Speaker extends Pick<Question, "role" | "phase" | "shown"> {
  readonly tools: ToolSet;
  readonly remedy: string;
  /** the largest prompt in tokens; null: as much as the provider takes */
  readonly contextTokens: number | null;
}

export type LeftOut = Pick<Payload<"calls_not_run">, "why" | "content">;

/** A prompt this close to the limit is made smaller, because its reply needs room too. */
const nearly = 0.9;
/**
 * Folding then goes down to this share: everything after the first folded result is read and paid for again, so it
 * should be rare.
 */
const roomy = 2 / 3;

/**
 * The messages between a role and the harness. Refused seeds and old results are dropped to fit the model's context.
 */
export class Transcript {
  readonly #deps: AskDeps;
  readonly #speaker: Speaker;
  readonly #size: PromptSize;
  #messages: readonly Message[];

  constructor(deps: AskDeps, speaker: Speaker, messages: readonly Message[]) {
    this.#deps = deps;
    this.#speaker = speaker;
    this.#size = new PromptSize(speaker.tools.definitions);
    this.#messages = messages;
  }

  /** Gets the next reply, without keeping it. Throws TilthError `infra` if nothing is left to drop. */
  async ask(span: Span, by: typeof ask = ask): Promise<ModelReply> {
    this.#keepBelowLimit(span);
    for (;;) {
      try {
        return await this.#askOnce(span, by);
      } catch (error) {
        if (!(error instanceof ContextFull)) throw error;
        if (!this.#fold(span, "full", "all")) throw this.#tooLong(error);
      }
    }
  }

  keep(reply: ModelReply): void {
    this.#add(reply.message);
  }

  answer(call: ToolCall, content: string): void {
    this.#add({ role: "tool", callId: call.id, content });
  }

  /** Answers calls that are not run, all with the same text. */
  leave(calls: readonly ToolCall[], { why, content }: LeftOut, span: Span): void {
    if (calls.length === 0) return;
    this.#deps.events.append("calls_not_run", { ...span, count: calls.length, why, content });
    this.#add(...calls.map(({ id }) => ({ role: "tool", callId: id, content }) as const));
  }

  /** Says something that answers no call; it is logged as a prompt like the first one. */
  tell(content: string, span: Span): void {
    const { phase } = this.#speaker;
    this.#deps.events.append("prompt_assembled", { ...span, role: phase, content, chars: content.length });
    this.#add({ role: "user", content });
  }

  #add(...messages: readonly Message[]): void {
    this.#messages = [...this.#messages, ...messages];
  }

  async #askOnce(span: Span, by: typeof ask): Promise<ModelReply> {
    const { role, phase, tools, shown } = this.#speaker;
    const about = { role, phase, tools: tools.definitions, ...(shown ? { shown } : {}) };
    const messages = this.#messages;
    const reply = await by(this.#deps, { ...about, attempt: 1, messages, span });
    this.#size.learn(messages, reply.usage.promptTokens);
    return reply;
  }

  /** A prompt that cannot be made small enough is sent anyway: only the provider knows for certain what is too much. */
  #keepBelowLimit(span: Span): void {
    const { contextTokens } = this.#speaker;
    if (contextTokens === null) return;
    const isOver = (share: number) => this.#size.tokensOf(this.#messages) >= contextTokens * share;
    if (!isOver(nearly)) return;
    while (isOver(nearly) && this.#fold(span, "near_limit", "seen"));
    while (isOver(roomy) && this.#fold(span, "near_limit", "cheap"));
  }

  /** Returns false if there was nothing to fold. */
  #fold(span: Span, why: Payload<"context_folded">["why"], reach: Reach): boolean {
    const lighter = foldSeeds(this.#messages);
    const { messages, folded, lines } =
      lighter.folded.length > 0 ? lighter : foldResults(this.#messages, reach, this.#speaker.tools);
    if (folded.length === 0) return false;
    this.#messages = messages;
    this.#deps.events.append("context_folded", { ...span, why, folded: [...folded], lines: [...lines] });
    return true;
  }

  #tooLong(full: ContextFull): TilthError {
    const { role, remedy } = this.#speaker;
    return new TilthError(
      "infra",
      `the conversation no longer fits the context of the ${role}'s model, and nothing is left to fold: ${full.message}`,
      remedy,
      full,
    );
  }
}
