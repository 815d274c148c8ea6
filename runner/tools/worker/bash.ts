import { z } from "zod";
import { said } from "../tool/fields.js";
import { limits } from "../tool/limits.js";
import { tool } from "../tool/tool.js";
import { commandOutput } from "./command-output.js";
import { vetoOf } from "./shell/vetoes.js";
import type { WorkerContext } from "./worker-context.js";

const input = z.strictObject({ command: said(limits.commandBytes) });

const name = "bash";

export const bash = tool<z.infer<typeof input>, WorkerContext>({
  name,
  description:
    "Runs a command with bash in /workspace: no input, a time limit. Gives exit code, stdout and stderr; of a long output the start and the end. Whatever it leaves running is killed.",
  input,
  main: "command",
  run: async ({ command }, context) => {
    const veto = vetoed(command, context);
    if (veto !== null) return veto;
    const result = await context.work.bash(command, context.toolTimeoutMs, context.signal);
    return commandOutput(result, context.toolTimeoutMs);
  },
});

/** Says why a command must not run, or returns null. Advice to the model: the wall is the container. */
function vetoed(command: string, { events, span }: WorkerContext): string | null {
  const reason = vetoOf(command);
  const outcome = reason === null ? "allow" : "block";
  events.append("hook_run", { ...span, hook: "pre_tool", tool: name, outcome, output: reason ?? "" });
  if (reason === null) return null;
  events.append("pre_tool_block", { ...span, tool: name, command, reason });
  return `Not run: ${reason}`;
}
