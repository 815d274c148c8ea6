import { z } from "zod";
import { said } from "../tool/fields.js";
import { limits } from "../tool/limits.js";
import { tool } from "../tool/tool.js";
import { foundText } from "./found-text.js";
import type { ReadingContext } from "./reading-context.js";

const input = z.strictObject({
  pattern: said(4096).describe(
    "relative to the workspace: * and ? stay in one folder, ** spans folders, [abc] is a set, {a,b} a choice",
  ),
});

export const glob = tool<z.infer<typeof input>, ReadingContext>({
  name: "glob",
  description:
    "Lists files whose path matches a pattern such as src/**/*.py: at most 200, sorted, hidden ones too; dependency and cache folders are passed over.",
  input,
  main: "pattern",
  inInterview: "looking for",
  run: async ({ pattern }, { work, signal }) => {
    const answer = await work.glob({ pattern, limit: limits.searchResults }, signal);
    return answer.ok ? foundText({ ...answer, found: answer.paths }, "no file matches") : answer.problem;
  },
});
