import { vetoOf } from "./shell/vetoes.js";
import type { WorkerContext } from "./worker-context.js";

/** Says why a command must not run, or returns null. Advice to the model: the wall is the container. */
export function vetoed(command: string, { events, span }: WorkerContext): string | null {
  const reason = vetoOf(command);
  const outcome = reason === null ? "allow" : "block";
  events.append("hook_run", { ...span, hook: "pre_tool", tool: "bash", outcome, output: reason ?? "" });
  if (reason === null) return null;
  events.append("pre_tool_block", { ...span, tool: "bash", command, reason });
  return `Not run: ${reason}`;
}
