import { join } from "node:path";
import { asSessionId, type HostPath, hostPath, type SessionId } from "../../base/ids.js";

/** The places of one session on the host. */
export interface SessionPaths {
  readonly folder: HostPath;
  readonly checkpoint: HostPath;
  readonly prd: HostPath;
  readonly seedMeta: HostPath;
  readonly seed: HostPath;
  /** lock of the environment in force: name, version and hashes of everything in it */
  readonly environmentLock: HostPath;
  /** the locks of all its environments, by key */
  readonly environments: HostPath;
  readonly events: HostPath;
  readonly ledgers: HostPath;
  readonly progress: HostPath;
  readonly learnings: HostPath;
  readonly partialPatch: HostPath;
  readonly summary: HostPath;
  readonly chat: HostPath;
  readonly lock: HostPath;
  readonly log: HostPath;
  /** exists only while the session runs */
  readonly reserve: HostPath;
  /** the worktree; the only path that is ever mounted, and never opened by the host once it holds files */
  readonly worktree: HostPath;
}

export function sessionsFolder(home: HostPath): HostPath {
  return hostPath(join(home, "sessions"));
}

export function sessionPaths(home: HostPath, id: SessionId): SessionPaths {
  const folder = join(sessionsFolder(home), id);
  const at = (name: string) => hostPath(join(folder, name));
  return {
    folder: hostPath(folder),
    checkpoint: at("checkpoint.json"),
    prd: at("prd.json"),
    seedMeta: at("seed-meta.json"),
    seed: at("seed"),
    environmentLock: at("environment.lock"),
    environments: at("environments"),
    events: at("events.jsonl"),
    ledgers: at("ledger"),
    progress: at("progress.txt"),
    learnings: at("proposed-learnings.md"),
    partialPatch: at("partial.patch"),
    summary: at("summary.json"),
    chat: at("chat.html"),
    lock: at("lock"),
    log: at("tilth.log"),
    reserve: at("reserve"),
    worktree: at("workspace"),
  };
}

/** The command that discards the session `path` belongs to. */
export function resetCommand(path: string): string {
  const id = path.split("/").findLast((part) => asSessionId(part) !== null);
  return `tilth reset ${id ?? "<id>"}`;
}
