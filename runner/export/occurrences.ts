import type { EventType, Payload, TilthEvent } from "../session/log/events.js";
import type { Occurrence } from "./open-span.js";
import { type Attributes, bool, double, int, text, texts } from "./values.js";

type Tell<T extends EventType> = (payload: Payload<T>) => Attributes;

/**
 * Events that become occurrences within the surrounding span. They leave out what was said, which is in the log alone.
 */
const told: { readonly [T in EventType]?: Tell<T> } = {
  isolation_receipt: ({ role, runtime, passed, items, left_out, open_to }) => ({
    "tilth.role": text(role),
    "tilth.runtime": text(runtime),
    "tilth.passed": bool(passed),
    "tilth.failed_items": texts(items.filter((item) => !item.passed).map(({ name }) => name)),
    "tilth.left_out": texts(left_out),
    "tilth.open_to": texts(open_to),
  }),
  environment: ({ key, packages, python, pytest, built }) => ({
    "tilth.environment": text(key),
    "tilth.packages": int(packages),
    "tilth.python": text(python),
    "tilth.pytest": text(pytest),
    "tilth.built": bool(built),
  }),
  seed_committed: ({ sha, tree }) => ({ "tilth.commit": text(sha), "tilth.tree": text(tree) }),
  session_prepared: ({ prd_entries, test_files, interviewer_model }) => ({
    "tilth.prd_entries": int(prd_entries),
    "tilth.test_files": int(test_files),
    "tilth.interviewer_model": text(interviewer_model),
  }),
  lock_taken_over: ({ reason }) => ({ "tilth.reason": text(reason) }),
  torn_tail: ({ bytes }) => ({ "tilth.bytes": int(bytes) }),
  context_folded: ({ why, folded }) => ({ "tilth.why": text(why), "tilth.folded": int(folded.length) }),
  prompt_assembled: ({ role, chars }) => ({ "tilth.role": text(role), "tilth.chars": int(chars) }),
  model_retry: ({ phase, attempt, reason, wait_ms }) => ({
    "gen_ai.agent.name": text(phase),
    "tilth.attempt": int(attempt),
    "tilth.reason": text(reason),
    "tilth.wait_ms": double(wait_ms),
  }),
  limit_wait: ({ phase, reason, wait_ms, until }) => ({
    "gen_ai.agent.name": text(phase),
    "tilth.reason": text(reason),
    "tilth.wait_ms": double(wait_ms),
    "tilth.until": text(until),
  }),
  parameter_left_out: ({ phase, parameter, sent_instead, reason }) => ({
    "gen_ai.agent.name": text(phase),
    "tilth.parameter": text(parameter),
    "tilth.sent_instead": text(sent_instead),
    "tilth.reason": text(reason),
  }),
  empty_model_response: ({ phase, in_a_row }) => ({
    "gen_ai.agent.name": text(phase),
    "tilth.in_a_row": int(in_a_row),
  }),
  calls_not_run: ({ count, why }) => ({ "tilth.count": int(count), "tilth.why": text(why) }),
  pre_tool_block: ({ tool, reason }) => ({ "tilth.tool": text(tool), "tilth.reason": text(reason) }),
  case_parse_error: () => ({}),
  seed_test_not_red: ({ tests }) => ({ "tilth.tests": int(tests.length) }),
  evaluator_parse_error: ({ attempt }) => ({ "tilth.attempt": int(attempt) }),
  proposed_learnings: ({ emitted, reason }) => ({ "tilth.emitted": bool(emitted), "tilth.reason": text(reason) }),
  commit_prepared: ({ sha, tree }) => ({ "tilth.commit": text(sha), "tilth.tree": text(tree) }),
  hands_lost: ({ role, during, detail }) => ({
    "tilth.role": text(role),
    "tilth.during": text(during),
    "tilth.detail": text(detail),
  }),
  egress: ({ host, port, allowed, refusal, bytes_out, bytes_in }) => ({
    "server.address": text(host),
    "server.port": int(port),
    "tilth.allowed": bool(allowed),
    "tilth.refusal": text(refusal),
    "tilth.bytes_out": int(bytes_out),
    "tilth.bytes_in": int(bytes_in),
  }),
  hands_restarted: ({ role }) => ({ "tilth.role": text(role) }),
  left_behind: ({ executes, renamed, problem }) => ({
    "tilth.executes": int(executes.length),
    "tilth.renamed": int(renamed.length),
    "tilth.problem": text(problem),
  }),
  stop: ({ reason, detail }) => ({ "tilth.reason": text(reason), "tilth.detail": text(detail) }),
};

export function occurrenceOf(event: TilthEvent, atMs: number): Occurrence | null {
  const tell = told[event.type] as Tell<EventType> | undefined;
  return tell ? { name: event.type, atMs, attributes: tell(event.payload) } : null;
}
