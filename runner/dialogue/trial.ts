import { Interrupted, TilthError } from "../base/errors.js";
import { say } from "../base/prompts.js";
import type { Role } from "../base/settings.js";
import {
  ContextFull,
  type Message,
  type ModelClient,
  type ModelReply,
  type ParameterLeftOut,
  type Retry,
  type ToolCall,
} from "../model/port/model-client.js";
import { parseArguments } from "../tools/arguments.js";
import { settle } from "../tools/settle.js";
import { trialTools } from "../tools/trial-tools.js";

/** Both calls one after the other, one of them corrected, a reply with nothing in it, the answer, and one to spare. */
export const mostRequests = 6;

export type TrialEnd =
  | { readonly kind: "finished" }
  /** it answered in words, and had called nothing before, or nothing that could be run */
  | { readonly kind: "no_tools" }
  | { readonly kind: "cut_off" }
  /** it still called, or had nothing to say, after the last request */
  | { readonly kind: "no_answer" }
  | { readonly kind: "context_full"; readonly reason: string }
  | { readonly kind: "failed"; readonly error: TilthError };

/** A refusal, and which request it was of, counted from 1. */
export interface RefusedOf extends ParameterLeftOut {
  readonly request: number;
}

/** A model as it was seen when it was tried out. */
export interface Trial {
  readonly end: TrialEnd;
  readonly replies: readonly ModelReply[];
  readonly leftOut: readonly RefusedOf[];
}

export interface TrialListener {
  /** before each request, counted from 1 */
  asking(request: number): void;
  retrying(retry: Retry): void;
}

interface Trying {
  readonly role: Role;
  readonly signal: AbortSignal;
  readonly listener: TrialListener;
}

/**
 * A short conversation as runs have them: a question, calls, their results with all that came, and an answer in words.
 * Whatever goes wrong with the endpoint or the model is how it ended; fails with Interrupted when `signal` aborts.
 */
export async function tryOut(model: ModelClient, { role, signal, listener }: Trying): Promise<Trial> {
  const trial = { replies: [] as ModelReply[], leftOut: [] as RefusedOf[] };
  const registry = trialTools();
  const messages: Message[] = [
    { role: "system", content: say("trial") },
    { role: "user", content: say("trial-question") },
  ];
  try {
    for (let request = 1; request <= mostRequests; request += 1) {
      listener.asking(request);
      const reply = await model.complete(
        { role, messages, tools: registry.definitions },
        {
          signal,
          bestEffort: true,
          onRetry: (retry) => listener.retrying(retry),
          onLeftOut: (one) => trial.leftOut.push({ ...one, request }),
        },
      );
      trial.replies.push(reply);
      const end = endAt(reply, trial.replies);
      if (end !== null) return { ...trial, end };
      // with nothing to be answered it is asked the same again
      if (reply.message.calls.length === 0) continue;
      messages.push(reply.message);
      for (const call of reply.message.calls)
        messages.push({ role: "tool", callId: call.id, content: await settle(call, registry, null) });
    }
    return { ...trial, end: { kind: "no_answer" } };
  } catch (error) {
    return { ...trial, end: endOf(error) };
  }
}

/** Null where it goes on. */
function endAt({ finishReason, message }: ModelReply, replies: readonly ModelReply[]): TrialEnd | null {
  if (finishReason === "length") return { kind: "cut_off" };
  if (message.calls.length > 0 || (message.content ?? "").trim() === "") return null;
  return callsOf(replies).some(isRunnable) ? { kind: "finished" } : { kind: "no_tools" };
}

export function callsOf(replies: readonly ModelReply[]): readonly ToolCall[] {
  return replies.flatMap(({ message }) => message.calls);
}

/** Its arguments are an object, as every tool wants them. */
export function isRunnable(call: ToolCall): boolean {
  return parseArguments(call.arguments).kind === "object";
}

function endOf(error: unknown): TrialEnd {
  if (error instanceof Interrupted) throw error;
  if (error instanceof ContextFull) return { kind: "context_full", reason: error.message };
  if (error instanceof TilthError) return { kind: "failed", error };
  throw error;
}
