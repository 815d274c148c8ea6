import type { Edited, LintRequest } from "../../hands/work-port.js";
import { headOf } from "../../support/bounded-text.js";
import { limits } from "../limits.js";
import type { WorkerContext } from "../worker-context.js";

/** ruff rides along with the edit of a Python file: one round trip instead of two. */
export function lintRequest(path: string, { ruffArgs }: WorkerContext): LintRequest | null {
  return path.trim().endsWith(".py") ? { args: ruffArgs, timeoutMs: limits.lintTimeoutMs } : null;
}

/** The answer to an edit, with what ruff found when it found something. */
export function withLint(tool: string, answer: string, { lint }: Edited, { events, span }: WorkerContext): string {
  if (lint === null) return answer;
  const findings = headOf(lint.trim(), limits.lintBytes).text;
  const outcome = findings === "" ? "silent" : "warned";
  events.append("hook_run", { ...span, hook: "post_edit", tool, outcome, output: findings });
  return findings === "" ? answer : `${answer}\nruff says:\n${findings}`;
}
