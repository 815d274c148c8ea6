import { limits } from "../tool/limits.js";

export interface SearchResult {
  readonly found: readonly string[];
  readonly truncated: boolean;
  readonly remark?: string | undefined;
}

/** Prints the results one per line, each clipped, until a limit is met, and then the remark. */
export function foundText({ found, truncated, remark }: SearchResult, none: string): string {
  const text = found.length === 0 ? `(${none})` : linesOf(found, truncated);
  return remark === undefined ? text : `${text}\n[${remark}]`;
}

function linesOf(found: readonly string[], truncated: boolean): string {
  const lines: string[] = [];
  let bytes = 0;
  for (const line of found.slice(0, limits.searchResults).map(clipped)) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > limits.searchBytes) break;
    lines.push(line);
  }
  if (truncated || lines.length < found.length)
    lines.push(`[only the first ${lines.length} results; ask for something narrower]`);
  return lines.join("\n");
}

function clipped(line: string): string {
  if (line.length <= limits.searchLineCharacters) return line;
  return `${line.slice(0, limits.searchLineCharacters).replace(/[\ud800-\udbff]$/, "")}…`;
}
