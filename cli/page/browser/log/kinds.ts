import { lookOf, type ToolLooks } from "../../../../runner/tools/tool/look.js";
import { textOf } from "./read.js";

export const kinds = ["model", "tools", "checks", "verdicts", "commits", "other"] as const;
export type Kind = (typeof kinds)[number];

const kindOfType: Readonly<Record<string, Kind>> = {
  prompt_assembled: "model",
  memory_load: "model",
  model_call: "model",
  empty_model_response: "model",
  model_retry: "model",
  limit_wait: "model",
  parameter_left_out: "model",
  context_folded: "model",
  tool_call: "tools",
  tool_result: "tools",
  calls_not_run: "tools",
  hook_run: "tools",
  pre_tool_block: "tools",
  egress: "tools",
  environment: "checks",
  red_check: "checks",
  seed_test_not_red: "checks",
  check_run: "checks",
  counter_check: "checks",
  base_suite: "checks",
  suite_run: "checks",
  case_parse_error: "verdicts",
  evaluator_verdict: "verdicts",
  evaluator_parse_error: "verdicts",
  ledger_appended: "verdicts",
  seed_committed: "commits",
  commit_prepared: "commits",
  commit: "commits",
  task_done: "commits",
  task_failed: "commits",
};

/** A submitted case counts as a verdict, because the two are read together. */
export function kindOf(type: string, tool: unknown, tools: ToolLooks): Kind {
  if (type === "tool_call" && lookOf(tools, textOf(tool))?.drawn?.as === "case") return "verdicts";
  return Object.hasOwn(kindOfType, type) ? (kindOfType[type] ?? "other") : "other";
}
