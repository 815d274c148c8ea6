import type { Clock } from "../base/clock.js";
import { TilthError } from "../base/errors.js";
import type { Message, ModelClient, ModelReply, ToolCall, ToolDefinition } from "../model/port/model-client.js";
import type { ModelPhase } from "../session/log/events/fields.js";
import type { EventSink, Span } from "../session/log/events.js";
import type { CallUse } from "../session/summary/usage.js";
import type { Role } from "../settings/endpoints.js";
import { isEmpty } from "./reply.js";
import { shownOwn } from "./shown-own.js";
import type { Spend } from "./spend.js";

export interface AskDeps {
  readonly model: ModelClient;
  readonly events: EventSink;
  readonly spend: Spend;
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
}

export interface Question {
  readonly role: Role;
  readonly phase: ModelPhase;
  /** counted from 1; higher only if earlier answers could not be used */
  readonly attempt: number;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly span: Span;
  readonly bestEffort?: boolean;
  /** returns a call as the log shows it; by default as it is */
  readonly shown?: (call: ToolCall) => ToolCall;
}

/** This many empty replies in a row are no accident. */
export const mostEmpty = 3;

/** Calls a model once, logs the call and adds its usage to the sum. */
export async function ask(deps: AskDeps, question: Question): Promise<ModelReply> {
  const { role, phase, messages, tools, span, shown } = question;
  const reply = await deps.model.complete(
    { role, messages, tools },
    {
      signal: deps.signal,
      bestEffort: question.bestEffort ?? false,
      onRetry: ({ attempt, reason, waitMs }) =>
        deps.events.append("model_retry", { ...span, phase, attempt, reason, wait_ms: waitMs }),
      onLimitWait: ({ reason, waitMs, until, isUncounted }) =>
        deps.events.append("limit_wait", {
          ...span,
          phase,
          reason,
          wait_ms: waitMs,
          until: until.toISOString(),
          ...(isUncounted ? { uncounted: true } : {}),
        }),
      onLeftOut: ({ parameter, sentInstead, reason }) =>
        deps.events.append("parameter_left_out", { ...span, phase, parameter, sent_instead: sentInstead, reason }),
    },
  );
  const used = useOf(reply);
  deps.spend.add(phase, used);
  deps.events.append("model_call", {
    ...span,
    phase,
    attempt: question.attempt,
    model: reply.model,
    ...(reply.modelAsked === null ? {} : { model_asked: reply.modelAsked }),
    ...used,
    tokens_used_total: deps.spend.tokens,
    finish_reason: reply.finishReason,
    reasoning: reply.reasoningText,
    content: reply.message.content,
    calls: reply.message.calls.map((call) => {
      const { id, name, arguments: text } = shown?.(call) ?? call;
      return { id, name, arguments: text };
    }),
    ...(reply.callsDropped === undefined ? {} : { calls_dropped: reply.callsDropped }),
    ...(reply.message.own === null ? {} : { own_fields: shownOwn(reply.message.own) }),
    ...(reply.fieldsDropped === undefined ? {} : { own_fields_dropped: [...reply.fieldsDropped] }),
  });
  return reply;
}

function useOf({ usage, cost, costFrom, ms }: ModelReply): CallUse {
  return {
    prompt_tokens: usage.promptTokens,
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    eval_tokens: usage.evalTokens,
    reasoning_tokens: usage.reasoningTokens,
    estimated: usage.estimated,
    cost,
    ...(cost === null ? {} : { cost_from: costFrom ?? "provider" }),
    ms,
  };
}

/** Logs an empty reply and waits before the next call. After the last allowed one there is no wait. */
export async function restAfterEmpty(
  deps: AskDeps,
  { span, phase }: Pick<Question, "span" | "phase">,
  inARow: number,
): Promise<void> {
  deps.events.append("empty_model_response", { ...span, phase, in_a_row: inARow });
  if (inARow < mostEmpty) await deps.clock.sleep(500 * 2 ** (inARow - 1), deps.signal);
}

const goingOn: Readonly<Record<Role, string>> = {
  worker: "continue with tilth resume",
  evaluator: "continue with tilth resume",
  interviewer: "start the interview again",
};

/**
 * For roles in which an empty reply does not count as a turn: asks again, and throws TilthError `infra` after the
 * third.
 */
export async function askUntilAnswered(deps: AskDeps, question: Question): Promise<ModelReply> {
  for (let inARow = 1; inARow <= mostEmpty; inARow += 1) {
    const reply = await ask(deps, question);
    if (!isEmpty(reply)) return reply;
    await restAfterEmpty(deps, question, inARow);
  }
  throw new TilthError(
    "infra",
    `the model of the ${question.role} answered ${mostEmpty} times in a row with nothing at all`,
    `look at the endpoint and the model's name with tilth config, then ${goingOn[question.role]}`,
  );
}
