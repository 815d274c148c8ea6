import type { EventType, Payload, TilthEvent } from "../../runner/session/log/events.js";
import type { Prd } from "../../runner/session/state/prd.js";
import { counted } from "../../runner/text/counted.js";
import { toolLooks } from "../../runner/tools/roles.js";
import type { ToolLooks } from "../../runner/tools/tool/look.js";
import type { Output } from "../output/output.js";
import { bold, dim, green, line, type Painted, red } from "../output/painted.js";
import { aboutCall, firstLine } from "./about-call.js";
import { clock } from "./clock.js";
import { aboutLeftOut } from "./left-out.js";
import { aboutLimitWait, againIn } from "./limit-wait.js";

/** The facts that a line may need beside its event's payload. */
interface LineContext {
  readonly prd: Prd;
  readonly looks: ToolLooks;
  readonly ts: string;
}

type Lines = { readonly [T in EventType]?: (payload: Payload<T>, context: LineContext) => Painted | null };

export interface ProgressOptions {
  /** events without a line here, because they are shown otherwise */
  readonly leftOut?: ReadonlySet<EventType>;
  /** of every tool by default */
  readonly looks?: ToolLooks;
}

/** Plain lines while a session runs, made only from its events. */
export class Progress {
  readonly #output: Output;
  readonly #started = performance.now();
  readonly #prd: Prd;
  readonly #leftOut: ReadonlySet<EventType>;
  readonly #looks: ToolLooks;

  constructor(output: Output, prd: Prd, { leftOut = new Set(), looks = toolLooks }: ProgressOptions = {}) {
    this.#output = output;
    this.#prd = prd;
    this.#leftOut = leftOut;
    this.#looks = looks;
  }

  show(event: TilthEvent): void {
    const context = { prd: this.#prd, looks: this.#looks, ts: event.ts };
    const shown = this.#leftOut.has(event.type) ? null : lineOf(event, context);
    if (shown !== null) this.#output.say(line`${dim(clock(performance.now() - this.#started))}  ${shown}`);
  }
}

function lineOf(event: TilthEvent, context: LineContext): Painted | null {
  const say = lines[event.type] as ((payload: unknown, context: LineContext) => Painted | null) | undefined;
  return say?.(event.payload, context) ?? null;
}

const lines: Lines = {
  session_start: ({ reconciled = [] }) =>
    reconciled.length === 0 ? null : line`repaired: ${firstLine(reconciled.join("; "))}`,
  isolation_receipt: ({ passed, items, role }) =>
    passed ? isolationProved(role, items.length) : red(line`isolation of the ${role} container NOT proved`),
  environment: ({ key, tree, packages, pytest }) =>
    key === null || tree === null
      ? null
      : line`    environment of this tree: ${counted(packages, "package")}, pytest ${pytest}`,
  lock_taken_over: ({ reason }) => line`the lock of a dead process was taken over: ${reason}`,
  context_reset: ({ task_id }, { prd }) => {
    const at = prd.findIndex((task) => task.id === task_id);
    return bold(line`${task_id} ${prd[at]?.title ?? ""} (${at + 1} of ${prd.length})`);
  },
  model_retry: ({ reason, wait_ms }, { ts }) =>
    line`  model: ${firstLine(reason)}; ${againIn(seconds(wait_ms, 1), { ts, wait_ms })}`,
  limit_wait: (payload) => line`  model: ${aboutLimitWait(payload)} (${firstLine(payload.reason)})`,
  parameter_left_out: (payload) => line`  model: ${aboutLeftOut(payload)}`,
  context_folded: ({ folded }) =>
    line`  model: the context got long; older results shortened to one line each: ${folded.length}`,
  empty_model_response: () => line`  model: an empty reply; asked again`,
  tool_call: (call, { looks }) => line`  ${call.iter ?? ""} ${call.tool} ${aboutCall(call, looks)}`,
  calls_not_run: ({ count, why }) => line`    not run: ${counted(count, "call")} (${why})`,
  pre_tool_block: ({ reason }) => line`    vetoed: ${firstLine(reason)}`,
  case_parse_error: ({ error }) => line`    case not accepted: ${firstLine(error)}`,
  check_run: ({ checks, passed, ms }) =>
    passed
      ? line`    check ${green("passed")} in ${seconds(ms, 2)} s`
      : line`    check ${red("failed")}: ${checks.flatMap(failure).join(", ")}`,
  evaluator_parse_error: ({ error }) => line`    verdict not understood: ${firstLine(error)}`,
  evaluator_verdict: ({ verdict }) =>
    verdict.verdict === "accept"
      ? line`    verdict: ${green("accept")}`
      : line`    verdict: ${red("reject")} ${verdict.rejection_category ?? ""}: ${firstLine(verdict.concern)}`,
  seed_test_not_red: ({ tests }) => line`    passed before the task began: ${firstLine(tests.join(", "))}`,
  counter_check: ({ passed, reached, caught }) =>
    passed
      ? line`    counter-check ${green("passed")}: ${counted(reached, "assertion")} can fail`
      : line`    counter-check ${red("failed")}: ${firstLine(caught[0] ?? "")}`,
  base_suite: ({ problem, passed, failed }) =>
    problem === null
      ? line`    the project's own tests: ${passed} pass, ${failed} fail already`
      : line`    the project's own tests are not held: ${firstLine(problem)}`,
  suite_run: ({ passed, ran, failed, changed }) =>
    passed
      ? line`    own tests ${green("passed")}: ${counted(ran, "test")}${changed.length > 0 ? `, ${changed.length} changed with the code` : ""}`
      : line`    own tests ${red("failed")}: ${firstLine(failed.length > 0 ? failed.join(", ") : "the evaluator has to see a change of tests")}`,
  hands_lost: ({ role, detail, asleep }) =>
    asleep ? null : line`    the ${role} container was lost: ${firstLine(detail)}`,
  egress: ({ host, port, allowed, refusal }) =>
    allowed ? null : line`    ${red("refused")}: ${host}:${port} (${refusal ?? ""})`,
  hands_restarted: ({ role, asleep }) => (asleep ? null : line`    the ${role} container is up again`),
  commit: ({ sha }) => line`    commit ${sha.slice(0, 10)}`,
  task_done: ({ task_id }) => green(line`  ${task_id} done`),
  task_failed: ({ task_id, reason, detail }) => red(line`  ${task_id} failed: ${reason}${inBrackets(detail)}`),
  proposed_learnings: ({ emitted, entry }) => (emitted ? line`    learned: ${firstLine(entry ?? "")}` : null),
  stop: ({ reason, detail }) =>
    reason === "all_done" ? green("all tasks are done") : line`stopped: ${reason}${inBrackets(detail)}`,
};

/** A person waits only for the worker's container; of the others only a failure is news. */
function isolationProved(role: string, items: number): Painted | null {
  return role === "check" || role === "clerk" ? null : line`isolation proved: ${items} items`;
}

function failure(check: { name: string; passed: boolean; reason: string | null }): string[] {
  if (check.passed) return [];
  return [check.reason === null || check.reason === check.name ? check.name : `${check.name} (${check.reason})`];
}

function seconds(ms: number, digits: number): string {
  return (ms / 1000).toFixed(digits);
}

function inBrackets(detail: string): Painted | string {
  return detail.trim() === "" ? "" : line` (${firstLine(detail)})`;
}
