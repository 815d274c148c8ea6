import { type Api, apis } from "../../base/apis.js";
import { callsOf, isRunnable, type Trial } from "../../dialogue/trial.js";
import { interfaces } from "../../model/interfaces.js";
import type { ModelReply } from "../../model/port/model-client.js";
import { carriesReasoning } from "../../model/wire/reasoning.js";
import { onShelf, priceInCents } from "../../tools/trial-tools.js";
import type { LiveReport } from "../shapes/json-shapes.js";
import type { SharedEndpoint } from "./shared-endpoints.js";

/** Builds the report of an exchange; `first` is the interface the model was first asked through. */
export function liveReport({ roles, endpoint }: SharedEndpoint, first: Api, trial: Trial): LiveReport {
  const { replies } = trial;
  const switches = trial.leftOut.flatMap(({ sentInstead }) => apiAt(sentInstead) ?? []);
  const cost = costOf(replies);
  return {
    roles: [...roles],
    base_url: endpoint.baseUrl,
    model: endpoint.model,
    model_answered: replies.at(-1)?.model ?? null,
    finished: trial.end.kind === "finished",
    ms: replies.map(({ ms }) => Math.round(ms)),
    api: switches.at(-1) ?? first,
    api_switched: switches.length > 0,
    ...toolsOf(trial),
    reasoning: reasoningOf(trial),
    second_call: secondCall(replies),
    usage: replies.length === 0 ? null : replies.some(({ usage }) => usage.estimated) ? "estimated" : "told",
    tokens: replies.reduce((sum, { usage }) => sum + usage.promptTokens + usage.evalTokens, 0),
    cost: cost.usd,
    cost_from: cost.from,
    left_out: trial.leftOut
      .filter(({ sentInstead }) => apiAt(sentInstead) === null)
      .map(({ parameter, sentInstead, reason }) => ({ parameter, sent_instead: sentInstead, reason })),
  };
}

/** Returns the interface a request switched to, or null if `place` is not one. */
function apiAt(place: string | null): Api | null {
  return apis.find((api) => interfaces[api].path === place) ?? null;
}

type Tools = Pick<LiveReport, "called_tool" | "arguments_are_objects" | "parallel_calls" | "used_results">;

function toolsOf({ replies, end }: Trial): Tools {
  const calls = callsOf(replies);
  const isAnswered = end.kind === "finished";
  const answer = replies.at(-1)?.message.content ?? "";
  return {
    called_tool: replies.length === 0 ? null : calls.length > 0,
    arguments_are_objects: calls.length === 0 ? null : calls.every(isRunnable),
    parallel_calls: calls.length === 0 ? null : replies.some(({ message }) => message.calls.length > 1),
    used_results: isAnswered
      ? [onShelf, priceInCents].every((number) => new RegExp(`\\b${number}\\b`).test(answer))
      : null,
  };
}

/** A refusal that only the second request met is about something that came with the first reply. */
function reasoningOf({ replies, leftOut }: Trial): LiveReport["reasoning"] {
  const [reply, next] = replies;
  if (reply === undefined || next === undefined) return null;
  if (!carriesReasoning(reply.message))
    return reply.hasReasoned || reply.usage.reasoningTokens > 0 ? "not_returned" : "none_seen";
  return leftOut.some(({ request }) => request === 2) ? "refused" : "kept";
}

function secondCall([, second]: readonly ModelReply[]): LiveReport["second_call"] {
  if (second === undefined || second.usage.estimated) return null;
  return { prompt_tokens: second.usage.promptTokens, cached_tokens: second.usage.cachedTokens };
}

function costOf(replies: readonly ModelReply[]): { usd: number | null; from: LiveReport["cost_from"] } {
  const told = replies.filter(({ cost }) => cost !== null);
  const last = told.at(-1);
  if (last === undefined) return { usd: null, from: null };
  return { usd: told.reduce((sum, { cost }) => sum + (cost ?? 0), 0), from: last.costFrom ?? "provider" };
}
