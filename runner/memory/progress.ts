import { type Bounded, tailOf } from "../text/bounded-text.js";

const mostLines = 30;
const progressBytes = 4 * 1024;

/** The last lines of `progress.txt`. */
export function progressText(file: string): Bounded {
  const lines = file.split("\n").filter((line) => line !== "");
  const last = tailOf(lines.slice(-mostLines).join("\n"), progressBytes);
  return { text: last.text, truncated: last.truncated || lines.length > mostLines };
}
