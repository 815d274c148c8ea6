import type { EditResult, LintRequest } from "../../hands/ports/work.js";
import { headOf } from "../../text/bounded-text.js";
import { limits } from "../tool/limits.js";
import type { WorkerContext } from "./worker-context.js";

/** ruff rides along with the edit of a Python file: one round trip instead of two. */
export async function lintRequest(path: string, context: WorkerContext): Promise<LintRequest | null> {
  if (!path.trim().endsWith(".py")) return null;
  const rules = await context.ruffRules();
  return rules && { rules, timeoutMs: limits.lintTimeoutMs };
}

/** Returns the answer to an edit, with ruff's findings if there are any. */
export function withLint(tool: string, answer: string, { lint }: EditResult, { events, span }: WorkerContext): string {
  if (lint === null) return answer;
  const findings = headOf(lint.trim(), limits.lintBytes).text;
  const outcome = findings === "" ? "silent" : "warned";
  events.append("hook_run", { ...span, hook: "post_edit", tool, outcome, output: findings });
  return findings === "" ? answer : `${answer}\nruff says:\n${findings}`;
}
