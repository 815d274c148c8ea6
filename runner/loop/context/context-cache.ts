import type { CommitId } from "../../base/ids.js";
import { type ContextFile, contextFilesBytes } from "../../memory/context-files.js";
import type { Branch } from "./branch.js";

/** Reads the context files of a commit, once for each commit. */
export function contextFileReader(
  branch: Branch,
  paths: readonly string[],
  signal: AbortSignal,
): (at: CommitId) => Promise<readonly ContextFile[]> {
  const known = new Map<CommitId, Promise<readonly ContextFile[]>>();
  const readOne = async (at: CommitId, path: string) => {
    const start = await branch.readFile(at, path, contextFilesBytes + 1, signal);
    return { path, content: start?.content ?? null, size: start?.size ?? 0 };
  };
  const read = (at: CommitId) => Promise.all(paths.map((path) => readOne(at, path)));
  return (at) => {
    const files = known.get(at) ?? read(at);
    known.set(at, files);
    return files;
  };
}
