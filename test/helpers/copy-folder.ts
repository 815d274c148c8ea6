import { copyFileSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { errnoCode } from "../../runner/disk/disk-trouble.js";

/**
 * Copies a folder as a crash would leave it, while others work in it: a file that goes away meanwhile is not in the
 * copy.
 */
export function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of unlessGone(() => readdirSync(from, { withFileTypes: true })) ?? []) {
    const [at, there] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(at, there);
    else if (entry.isSymbolicLink()) unlessGone(() => symlinkSync(readlinkSync(at), there));
    else unlessGone(() => copyFileSync(at, there));
  }
}

function unlessGone<T>(act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return null;
    throw error;
  }
}
