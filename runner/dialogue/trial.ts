import { Interrupted, TilthError } from "../base/errors.js";
import { say } from "../base/prompts.js";
import { argumentsOf } from "../model/port/call-arguments.js";
import {
  ContextFull,
  type Message,
  type ModelClient,
  type ModelReply,
  type ParameterLeftOut,
  type Retry,
  type ToolCall,
} from "../model/port/model-client.js";
import type { Role } from "../settings/endpoints.js";
import { settle } from "../tools/tool/settle.js";
import { trialTools } from "../tools/trial-tools.js";

/** Two calls one after the other, one corrected call, an empty reply, the answer, and one to spare. */
export const mostRequests = 6;

export type TrialEnd =
  | { readonly kind: "finished" }
  /** it answered in words without a single call that could be run */
  | { readonly kind: "no_tools" }
  | { readonly kind: "cut_off" }
  /** after the last request it was still calling, or had said nothing */
  | { readonly kind: "no_answer" }
  | { readonly kind: "context_full"; readonly reason: string }
  | { readonly kind: "failed"; readonly error: TilthError };

/** A refused parameter and the request it was refused in, counted from 1. */
export interface RefusedOf extends ParameterLeftOut {
  readonly request: number;
}

/** Everything seen of a model while it was tried out. */
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
 * Holds a short conversation like those of a run: a question, calls, their results with everything the reply carried,
 * and an answer in words. Failures of the endpoint or the model become the trial's end; throws Interrupted when
 * `signal` aborts.
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
      // there is nothing to answer, so the same is asked again
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

/** Null if the conversation goes on. */
function endAt({ finishReason, message }: ModelReply, replies: readonly ModelReply[]): TrialEnd | null {
  if (finishReason === "length") return { kind: "cut_off" };
  if (message.calls.length > 0 || (message.content ?? "").trim() === "") return null;
  return callsOf(replies).some(isRunnable) ? { kind: "finished" } : { kind: "no_tools" };
}

export function callsOf(replies: readonly ModelReply[]): readonly ToolCall[] {
  return replies.flatMap(({ message }) => message.calls);
}

/** True if its arguments are an object, as every tool requires. */
export function isRunnable(call: ToolCall): boolean {
  return argumentsOf(call).kind === "object";
}

function endOf(error: unknown): TrialEnd {
  if (error instanceof Interrupted) throw error;
  if (error instanceof ContextFull) return { kind: "context_full", reason: error.message };
  if (error instanceof TilthError) return { kind: "failed", error };
  throw error;
}
