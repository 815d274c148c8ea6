import type { EventType, Payload, TilthEvent } from "../session/log/events.js";
import type { Problem, SpanRecord } from "./open-span.js";
import { type Attributes, bool, double, int, text, texts } from "./values.js";

/** A whole span told by one event. */
export interface Moment {
  readonly name: string;
  readonly kind?: SpanRecord["kind"];
  /** how long it took, if the log says so */
  readonly ms?: number;
  readonly attributes: Attributes;
  readonly problem?: Problem | null;
}

type Tell<T extends EventType> = (payload: Payload<T>, sessionId: string) => Moment;

const moments: { readonly [T in EventType]?: Tell<T> } = {
  model_call: chat,
  hook_run: ({ hook, tool, outcome }) => ({
    name: `hook_run ${hook}`,
    attributes: { "tilth.hook": text(hook), "tilth.hook.outcome": text(outcome), "tilth.tool": text(tool) },
  }),
  red_check: ({ tree, at, tests, opened }) => ({
    name: "red_check",
    attributes: {
      "tilth.tree": text(tree),
      "tilth.red_check.at": text(at),
      "tilth.red_check.red": int(Object.keys(tests).length),
      "tilth.red_check.opened": int(opened.length),
    },
  }),
  check_run: checkRun,
  counter_check: ({ tree, passed, reached, caught, left_out }) => ({
    name: "counter_check",
    attributes: {
      "tilth.tree": text(tree),
      "tilth.counter_check.passed": bool(passed),
      "tilth.counter_check.reached": int(reached),
      "tilth.counter_check.caught": int(caught.length),
      "tilth.counter_check.left_out": int(left_out.length),
    },
    problem: passed ? null : { type: "counter_check", message: "tests passed with their assertions made false" },
  }),
  base_suite: ({ tree, at, passed, failed, unstable }) => ({
    name: "base_suite",
    attributes: {
      "tilth.tree": text(tree),
      "tilth.base_suite.at": text(at),
      "tilth.base_suite.passed": int(passed),
      "tilth.base_suite.failed": int(failed),
      "tilth.base_suite.unstable": int(unstable),
    },
  }),
  suite_run: ({ tree, passed, ran, failed, changed }) => ({
    name: "suite_run",
    attributes: {
      "tilth.tree": text(tree),
      "tilth.suite_run.passed": bool(passed),
      "tilth.suite_run.ran": int(ran),
      "tilth.suite_run.failed": int(failed.length),
      "tilth.suite_run.changed": int(changed.length),
    },
    problem: passed ? null : { type: "own_tests", message: "tests of the project that passed do not any more" },
  }),
  evaluator_verdict: ({ tree, verdict, parse_failed }) => ({
    name: "evaluator_verdict",
    attributes: {
      "gen_ai.evaluation.name": text("tilth.verdict"),
      "gen_ai.evaluation.score.label": text(verdict.verdict),
      "tilth.verdict.rejection_category": text(verdict.rejection_category),
      "tilth.verdict.parse_failed": bool(parse_failed),
      "tilth.tree": text(tree),
    },
  }),
  commit: ({ sha, tree }) => ({
    name: "commit",
    attributes: { "tilth.commit": text(sha), "tilth.tree": text(tree) },
  }),
};

/** Null for an event that makes no span by itself. */
export function momentOf(event: TilthEvent, sessionId: string): Moment | null {
  const tell = moments[event.type] as Tell<EventType> | undefined;
  return tell?.(event.payload, sessionId) ?? null;
}

/** A function of its own because two events tell of a tool call. */
export function toolCall({ tool, call_id }: Pick<Payload<"tool_call">, "tool" | "call_id">, sessionId: string): Moment {
  return {
    name: `execute_tool ${tool}`,
    attributes: {
      "gen_ai.operation.name": text("execute_tool"),
      "gen_ai.tool.name": text(tool),
      "gen_ai.tool.call.id": text(call_id),
      "gen_ai.tool.type": text("function"),
      "gen_ai.conversation.id": text(sessionId),
    },
  };
}

function chat(call: Payload<"model_call">, sessionId: string): Moment {
  const asked = call.model_asked ?? call.model;
  return {
    name: `chat ${asked}`,
    kind: "client",
    ms: call.ms,
    attributes: {
      "gen_ai.operation.name": text("chat"),
      // names the API format; the model's name tells who answers
      "gen_ai.provider.name": text("openai"),
      "gen_ai.conversation.id": text(sessionId),
      "gen_ai.agent.name": text(call.phase),
      "gen_ai.request.model": text(asked),
      "gen_ai.response.model": text(call.model),
      "gen_ai.response.finish_reasons": texts([call.finish_reason]),
      "gen_ai.usage.input_tokens": int(call.prompt_tokens),
      "gen_ai.usage.cache_read.input_tokens": int(call.cached_tokens),
      "gen_ai.usage.cache_creation.input_tokens": int(call.cache_write_tokens),
      "gen_ai.usage.output_tokens": int(call.eval_tokens),
      "gen_ai.usage.reasoning.output_tokens": int(call.reasoning_tokens),
      "tilth.usage.estimated": bool(call.estimated),
      "tilth.cost_usd": double(call.cost),
      "tilth.cost_from": text(call.cost_from ?? null),
      "tilth.attempt": int(call.attempt),
    },
  };
}

function checkRun({ tree, passed, checks, expected, integrity_notes, ms }: Payload<"check_run">): Moment {
  const each = checks.flatMap((check) => [
    [`tilth.check.${check.name}.passed`, bool(check.passed)] as const,
    [`tilth.check.${check.name}.reason`, text(check.reason)] as const,
    [`tilth.check.${check.name}.ms`, double(check.ms)] as const,
  ]);
  const failed = checks.filter((check) => !check.passed);
  const why = failed.map(({ name, reason }) => (reason === null || reason === name ? name : `${name}: ${reason}`));
  return {
    name: "check_run",
    ms,
    attributes: {
      "tilth.tree": text(tree),
      "tilth.check.passed": bool(passed),
      "tilth.check.expected_tests": int(expected.length),
      "tilth.check.integrity_notes": int(integrity_notes.length),
      ...Object.fromEntries(each),
    },
    problem: passed ? null : { type: failed[0]?.reason ?? "check_failed", message: why.join(", ") },
  };
}
