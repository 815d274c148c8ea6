import { writeFileAtomic } from "../../disk/atomic-file.js";
import { loadTextIfThere } from "./state-file.js";

/**
 * Adds whole lines to a small file that people or later steps read, by replacing the file. After a crash the file has
 * all the new lines or none, and a torn last line is dropped instead of swallowing the next one.
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
