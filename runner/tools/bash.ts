import { z } from "zod";
import { commandOutput } from "./command-output.js";
import { limits } from "./context/limits.js";
import type { WorkerContext } from "./context/worker-context.js";
import { said } from "./fields.js";
import { vetoed } from "./hooks/pre-tool.js";
import { tool } from "./registry.js";

const input = z.strictObject({ command: said(limits.commandBytes) });

export const bash = tool<z.infer<typeof input>, WorkerContext>({
  name: "bash",
  description:
    "Runs a command with bash in /workspace: no input, a time limit. Gives exit code, stdout and stderr; of a long output the start and the end. Whatever it leaves running is killed.",
  input,
  run: async ({ command }, context) => {
    const veto = vetoed(command, context);
    if (veto !== null) return veto;
    const result = await context.work.bash(command, context.toolTimeoutMs, context.signal);
    return commandOutput(result, context.toolTimeoutMs);
  },
});
