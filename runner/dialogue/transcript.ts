import { TilthError } from "../base/errors.js";
import { ContextFull, type Message, type ModelReply, type ToolCall } from "../model/port/model-client.js";
import type { Payload, Span } from "../session/events.js";
import { type AskDeps, ask, type Question } from "./ask.js";
import { foldResults, type Reach } from "./fold-results.js";
import { foldSeeds } from "./fold-seeds.js";
import { PromptSize } from "./prompt-size.js";

/** Who is talked to, and what to do about a talk that grew too long. */
export interface Speaker extends Pick<Question, "role" | "phase" | "tools" | "shown"> {
  readonly remedy: string;
  /** what a prompt may come to; null: as much as the provider takes */
  readonly contextTokens: number | null;
}

export type LeftOut = Pick<Payload<"calls_not_run">, "why" | "content">;

/** A prompt this near the limit is made smaller: its reply wants room too. */
const nearly = 0.9;
/** Once it is made smaller, it is made so small: what follows the first result that was folded is read anew, and paid for. */
const roomy = 2 / 3;

/**
 * What has been said between a role and the harness. It is made to fit the model's context by dropping refused seeds and
 * old results.
 */
export class Transcript {
  readonly #deps: AskDeps;
  readonly #speaker: Speaker;
  readonly #size: PromptSize;
  #messages: readonly Message[];

  constructor(deps: AskDeps, speaker: Speaker, messages: readonly Message[]) {
    this.#deps = deps;
    this.#speaker = speaker;
    this.#size = new PromptSize(speaker.tools);
    this.#messages = messages;
  }

  /** The next reply, which is not kept yet. Fails with TilthError `infra` when nothing is left to drop. */
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

  /** Answers calls that are not run, all in the same words. */
  leave(calls: readonly ToolCall[], { why, content }: LeftOut, span: Span): void {
    if (calls.length === 0) return;
    this.#deps.events.append("calls_not_run", { ...span, count: calls.length, why, content });
    this.#add(...calls.map(({ id }) => ({ role: "tool", callId: id, content }) as const));
  }

  /** Something said outside of any call's answer; it is a prompt like the first one. */
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
    const about = { role, phase, tools, ...(shown ? { shown } : {}) };
    const messages = this.#messages;
    const reply = await by(this.#deps, { ...about, attempt: 1, messages, span });
    this.#size.learn(messages, reply.usage.promptTokens);
    return reply;
  }

  /** What cannot be made to fit is asked all the same: how much is too much only the provider knows for certain. */
  #keepBelowLimit(span: Span): void {
    const { contextTokens } = this.#speaker;
    if (contextTokens === null) return;
    const isOver = (share: number) => this.#size.tokensOf(this.#messages) >= contextTokens * share;
    if (!isOver(nearly)) return;
    while (isOver(nearly) && this.#fold(span, "near_limit", "seen"));
    while (isOver(roomy) && this.#fold(span, "near_limit", "cheap"));
  }

  /** False when there was nothing to fold. */
  #fold(span: Span, why: Payload<"context_folded">["why"], reach: Reach): boolean {
    const lighter = foldSeeds(this.#messages);
    const { messages, folded, lines } = lighter.folded.length > 0 ? lighter : foldResults(this.#messages, reach);
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
