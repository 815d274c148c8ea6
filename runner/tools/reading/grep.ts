import { z } from "zod";
import { said } from "../tool/fields.js";
import { limits } from "../tool/limits.js";
import { tool } from "../tool/tool.js";
import { foundText } from "./found-text.js";
import type { ReadingContext } from "./reading-context.js";

const input = z.strictObject({
  pattern: said(4096).describe(
    "a regular expression as ripgrep takes it (Rust syntax: no look-around, no back-references)",
  ),
  path_glob: said(4096).nullish().describe("only in files whose path matches, such as **/*.py"),
});

export const grep = tool<z.infer<typeof input>, ReadingContext>({
  name: "grep",
  description:
    "Searches file contents line by line; answers path:line: text, at most 200 lines. Hidden and ignored files are searched, dependency and cache folders are passed over.",
  input,
  main: "pattern",
  inInterview: "searching for",
  run: async ({ pattern, path_glob }, { work, signal }) => {
    const request = { pattern, pathGlob: path_glob ?? null, limit: limits.searchResults };
    const answer = await work.grep(request, signal);
    return answer.ok ? foundText({ ...answer, found: answer.lines }, "no line matches") : answer.problem;
  },
});
