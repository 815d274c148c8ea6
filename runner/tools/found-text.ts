import { limits } from "./limits.js";

/** Results one per line, each clipped, until either limit is met. */
export function foundText(found: readonly string[], truncated: boolean, none: string): string {
  if (found.length === 0) return `(${none})`;
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
