import { z } from "zod";
import { content, path } from "../tool/fields.js";
import { limits } from "../tool/limits.js";
import { tool } from "../tool/tool.js";
import { lintRequest, withLint } from "./lint.js";
import type { WorkerContext } from "./worker-context.js";

const input = z
  .strictObject({
    path,
    old_string: content(limits.editBytes)
      .refine((text) => text !== "", "must not be empty")
      .describe("text that stands in the file exactly once"),
    new_string: content(limits.editBytes).describe("what to put in its place"),
  })
  .refine((edit) => edit.old_string !== edit.new_string, {
    path: ["new_string"],
    message: "is identical to old_string, so nothing would change",
  });

const name = "edit_file";

export const editFile = tool<z.infer<typeof input>, WorkerContext>({
  name,
  description:
    "Replaces one piece of text in a file. old_string must occur exactly once, whitespace included; take enough of the lines around it.",
  input,
  main: "path",
  drawn: { as: "change", from: "old_string", to: "new_string" },
  run: async ({ path, old_string, new_string }, context) => {
    const request = {
      path,
      oldString: old_string,
      newString: new_string,
      maxBytes: limits.editedFileBytes,
      lint: await lintRequest(path, context),
    };
    const edited = await context.work.editFile(request, context.signal);
    if (!edited.ok) return edited.problem;
    return withLint(name, `edited ${edited.path} (now ${edited.bytes} bytes)`, edited, context);
  },
});
