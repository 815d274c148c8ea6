import { writeFileAtomic } from "../disk/atomic-file.js";
import { loadTextIfThere } from "./state-file.js";

/**
 * Adds whole lines to a small file that people or later steps read, by replacing it: a crash leaves the file with them or
 * without, and a torn last line, however it came there, goes instead of swallowing the next one.
 */
export function appendLines(path: string, lines: string): void {
  const before = loadTextIfThere(path);
  writeFileAtomic(path, before.slice(0, before.lastIndexOf("\n") + 1) + lines);
}

/** The lines of `text` that end in a line break, empty ones left out. */
export function wholeLines(text: string): string[] {
  return text
    .split("\n")
    .slice(0, -1)
    .filter((line) => line !== "");
}
