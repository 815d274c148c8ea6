import { z } from "zod";
import { said } from "../tool/fields.js";
import { limits } from "../tool/limits.js";
import { tool } from "../tool/registry.js";
import { commandOutput } from "./command-output.js";
import { vetoed } from "./pre-tool.js";
import type { WorkerContext } from "./worker-context.js";

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
