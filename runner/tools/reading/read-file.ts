import { z } from "zod";
import { decoded } from "../../text/bounded-text.js";
import { path } from "../tool/fields.js";
import { limits } from "../tool/limits.js";
import { tool } from "../tool/tool.js";
import type { ReadingContext } from "./reading-context.js";

const line = z.number().int().min(1).max(1_000_000_000);
const input = z.strictObject({
  path,
  offset: line.nullish().describe("first line, counted from 1"),
  limit: line.nullish().describe("how many lines"),
});

export const readFile = tool<z.infer<typeof input>, ReadingContext>({
  name: "read_file",
  description: "Gives the text of a file, at most 50 KB at a time; offset and limit choose lines.",
  input,
  main: "path",
  inInterview: "reading",
  answerLines: 4,
  run: async ({ path, offset, limit }, { work, signal }) => {
    const request = {
      path,
      maxBytes: limits.readBytes,
      ...(offset == null ? {} : { offset }),
      ...(limit == null ? {} : { limit }),
    };
    const file = await work.readFile(request, signal);
    if (!file.ok) return file.problem;
    if (file.content.length === 0)
      return file.size === 0 ? "(the file is empty)" : `(no line ${offset ?? 1}: the file ends before it)`;
    if (file.content.includes(0)) return `${path}: not a text file; it holds NUL characters.`;
    const text = decoded(file.content);
    return file.truncated ? `${text}\n${readOn(file)}` : text;
  },
});

function readOn(file: { content: Uint8Array; size: number; firstLine: number; lastLine: number }): string {
  const seen = `[lines ${file.firstLine} to ${file.lastLine} of a file of ${file.size} bytes`;
  const endsWithLine = file.content.at(-1) === 0x0a;
  if (endsWithLine) return `${seen}; read on with offset ${file.lastLine + 1}]`;
  if (file.lastLine > file.firstLine) return `${seen}, the last one cut; read on with offset ${file.lastLine}]`;
  return `${seen}, cut in the middle of the line, whose rest is not shown; the next line is ${file.lastLine + 1}]`;
}
