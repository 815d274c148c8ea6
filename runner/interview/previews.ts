import type { ToolCall } from "../model/port/model-client.js";
import { endsOf } from "../text/bounded-text.js";
import { writeSeed } from "../tools/interviewer/write-seed.js";
import { parseArguments } from "../tools/tool/arguments.js";

const shownLines = 5;
const shownCharacters = 400;
const shownOfTorn = 2_000;

/** Shortens a call's arguments for the log: a seed's test files to their first lines, everything else unchanged. */
export function previewed(call: ToolCall): string {
  if (call.name !== writeSeed.name) return call.arguments;
  const args = parseArguments(call.arguments);
  // test files cannot be told from the rest here, and a torn call consists mostly of test files
  if (args.kind !== "object") return endsOf(call.arguments, shownOfTorn).text;
  if (!Object.hasOwn(args.value, "test_files")) return call.arguments;
  return JSON.stringify({ ...args.value, test_files: previewOf(args.value.test_files) });
}

/** Works on files of whatever shape. */
function previewOf(value: unknown): unknown {
  if (typeof value === "string") return startOf(value);
  if (Array.isArray(value)) return value.map(previewOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, previewOf(text)]));
}

function startOf(text: string): string {
  const start = text.split("\n", shownLines).join("\n").slice(0, shownCharacters);
  // at most the final line break is missing
  if (start.length >= text.length - 1) return text;
  return `${start.replace(/[\ud800-\udbff]$/, "")}\n[… ${text.length} characters in all]`;
}
