import { isAbsolute } from "node:path";
import { TilthError } from "../../base/errors.js";
import { type CommitId, commitId, hostPath } from "../../base/ids.js";
import { readEvents } from "../../session/log/event-reader.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { Checkpoint } from "../../session/state/checkpoint.js";
import type { Settings } from "../../settings/settings.js";
import { HostGit } from "../../source/git/host-git.js";
import { whyNoRepository } from "../../source/git/repository.js";
import { shellWord } from "../../source/git/shell-word.js";
import { preflightSource, type Source } from "../../source/preflight/preflight.js";
import { contains } from "../../source/preflight/repository-guards.js";
import { branchTip } from "../../source/refs/branch-ref.js";
import { adminEntries } from "../../source/refs/worktree-admin.js";

export type SessionSource =
  /** `last`: the commit the session left its branch at, if it made any */
  | { readonly kind: "found"; readonly source: Source; readonly last: CommitId | null }
  /** its folder is gone, or is no longer a repository */
  | { readonly kind: "gone"; readonly path: string; readonly why: string }
  /** neither the checkpoint nor the log says which it is */
  | { readonly kind: "unknown" };

/** The source according to the session's own files; null for a file that cannot be read. */
interface Origin {
  readonly checkpoint: Checkpoint | null;
  readonly logged: string | null;
}

/**
 * Finds the source a session was made in, and never another one: TilthError `usage` unless checkpoint, log and source
 * agree.
 */
export async function sourceOfSession(
  files: SessionFiles,
  settings: Settings,
  signal: AbortSignal,
): Promise<SessionSource> {
  const checkpoint = readable(() => files.loadCheckpoint());
  if (checkpoint && checkpoint.id !== files.id)
    throw misled(files, `says that it belongs to session ${JSON.stringify(checkpoint.id)}`);
  const origin = { checkpoint, logged: await loggedSource(files) };
  const path = checkpoint?.source ?? origin.logged;
  if (path === null) return { kind: "unknown" };
  // this also keeps tilth from looking into another session's worktree
  if (!isAbsolute(path) || contains(settings.home, path))
    throw misled(files, `names ${JSON.stringify(path)} as its source, but there is no source`);
  const why = whyNoRepository(path);
  if (why !== null) {
    refuseContradiction(files, origin);
    return { kind: "gone", path, why };
  }
  const git = HostGit.find(settings.host);
  const source = await preflightSource(path, { git, home: hostPath(settings.home), trust: "unasked", signal });
  await refuseStranger(files, { source, origin }, signal);
  const moved = checkpoint !== null && checkpoint.last_commit !== checkpoint.base_commit;
  return { kind: "found", source, last: moved ? commitId(checkpoint.last_commit) : null };
}

/** The source's record of the worktree is proof; without it, checkpoint and log must agree. */
async function refuseStranger(
  files: SessionFiles,
  { source, origin }: { readonly source: Source; readonly origin: Origin },
  signal: AbortSignal,
): Promise<void> {
  if (adminEntries(source.commonDir, files.paths.worktree).length > 0) return;
  refuseContradiction(files, origin);
  if (origin.logged === source.workTree) return;
  const tip = await branchTip(source, files.id, signal);
  if (tip === null) return;
  const branch = `session/${files.id}`;
  throw new TilthError(
    "usage",
    `nothing but the checkpoint says that the branch ${branch} of '${source.workTree}' is this session's`,
    `if it is, delete it first: git -C ${shellWord(source.workTree)} branch -D ${branch}`,
  );
}

function refuseContradiction(files: SessionFiles, { checkpoint, logged }: Origin): void {
  if (checkpoint === null || logged === null || checkpoint.source === logged) return;
  throw misled(files, `names '${checkpoint.source}' as the session's source, and its log names '${logged}'`);
}

async function loggedSource({ id, paths }: SessionFiles): Promise<string | null> {
  try {
    for await (const event of readEvents(paths.events))
      if (event.type === "session_start") return event.payload.session === id ? event.payload.source : null;
  } catch (error) {
    if (!(error instanceof TilthError)) throw error;
  }
  return null;
}

function readable<T>(load: () => T): T | null {
  try {
    return load();
  } catch (error) {
    if (error instanceof TilthError) return null;
    throw error;
  }
}

function misled({ paths }: SessionFiles, says: string): TilthError {
  return new TilthError("usage", `${paths.checkpoint} ${says}`, "correct that file, then try again");
}
