import { argumentsOf } from "../model/port/call-arguments.js";
import type { ToolCall } from "../model/port/model-client.js";
import { endsOf } from "../text/bounded-text.js";
import { writeSeed } from "../tools/interviewer/write-seed.js";

const shownLines = 5;
const shownCharacters = 400;
const shownOfTorn = 2_000;

/** Returns a call as the log shows it: a seed's test files have only their first lines, everything else is unchanged. */
export function previewed(call: ToolCall): ToolCall {
  if (call.name !== writeSeed.definition.name) return call;
  const args = argumentsOf(call);
  // test files cannot be told from the rest here, and a torn call consists mostly of test files
  if (args.kind !== "object") return { ...call, arguments: endsOf(call.arguments, shownOfTorn).text };
  if (!Object.hasOwn(args.value, "test_files")) return call;
  const shown = { ...args.value, test_files: previewOf(args.value.test_files) };
  return { ...call, arguments: JSON.stringify(shown) };
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
