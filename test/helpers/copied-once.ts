import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

interface CopiedFile {
  readonly path: string;
  readonly mode: number;
  /** null for a folder */
  readonly content: Buffer | null;
}

const known = new Map<string, readonly CopiedFile[]>();

/** Lets `make` fill the folder the first time in this process, and copies the result from then on. */
export function copiedOnce(name: string, folder: string, make: () => void): void {
  const kept = known.get(name);
  if (kept) write(folder, kept);
  else {
    make();
    known.set(name, read(folder));
  }
}

function read(folder: string): readonly CopiedFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const at = join(entry.parentPath, entry.name);
    const content = entry.isDirectory() ? null : readFileSync(at);
    return { path: relative(folder, at), mode: statSync(at).mode & 0o777, content };
  });
}

function write(folder: string, kept: readonly CopiedFile[]): void {
  mkdirSync(folder, { recursive: true });
  for (const { path, mode, content } of kept) {
    const at = join(folder, path);
    if (content === null) mkdirSync(at, { recursive: true, mode });
    else {
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, content, { mode });
    }
  }
}
