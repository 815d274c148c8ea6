import { z } from "zod";
import { content, path } from "../tool/fields.js";
import { limits } from "../tool/limits.js";
import { tool } from "../tool/tool.js";
import { lintRequest, withLint } from "./lint.js";
import type { WorkerContext } from "./worker-context.js";

const input = z.strictObject({ path, content: content(limits.writeBytes) });

const name = "write_file";

export const writeFile = tool<z.infer<typeof input>, WorkerContext>({
  name,
  description: "Writes a whole file, at most 200 KB, in place of what was there; makes the folders it needs.",
  input,
  main: "path",
  drawn: { as: "text", of: "content" },
  run: async ({ path, content }, context) => {
    const request = { path, content: Buffer.from(content), lint: await lintRequest(path, context) };
    const written = await context.work.writeFile(request, context.signal);
    if (!written.ok) return written.problem;
    return withLint(name, `wrote ${written.path} (${written.bytes} bytes)`, written, context);
  },
});
