import { lstatSync, realpathSync } from "node:fs";
import { type Clock, systemClock } from "../base/clock.js";
import { TilthError } from "../base/errors.js";
import { asSessionId, type CommitId, type HostPath, type SessionId } from "../base/ids.js";
import { diskTrouble } from "../disk/disk-trouble.js";
import { nodeIo, syncFolder } from "../disk/file-io.js";
import { rowOf, type SessionRow } from "./listing.js";
import { SessionFiles } from "./session-files.js";
import { removeNew, SessionFolders } from "./session-folders.js";
import type { Checkpoint } from "./state/checkpoint.js";
import { sessionPaths, sessionsFolder } from "./state/session-paths.js";

interface Origin {
  readonly source: HostPath;
  readonly baseCommit: CommitId;
}

/** All sessions of one `$TILTH_HOME`. */
export class SessionStore {
  readonly #home: HostPath;
  readonly #clock: Pick<Clock, "now">;
  readonly #folders: SessionFolders;

  /** `home` is an absolute, real path. */
  constructor(home: HostPath, clock: Pick<Clock, "now"> = systemClock) {
    this.#home = home;
    this.#clock = clock;
    this.#folders = new SessionFolders(home, clock);
  }

  /** Makes a new folder, private to the user, with a checkpoint that says `preparing`. */
  create(of: Origin): SessionFiles {
    const id = this.#folders.make();
    const files = new SessionFiles(this.#home, id, this.#clock);
    try {
      syncFolder(sessionsFolder(this.#home), nodeIo);
      files.saveCheckpoint(firstCheckpoint(id, of, this.#clock.now().toISOString()));
    } catch (error) {
      removeNew(files.paths.folder);
      throw diskTrouble("make the folder", files.paths.folder, error);
    }
    return files;
  }

  /** TilthError `usage` for anything that is not a session of this home; a link in a session's place does not count. */
  open(text: string): SessionFiles {
    const id = asSessionId(text);
    if (id === null) throw noSession(text, `${JSON.stringify(text)} is not a session id`);
    const { folder } = sessionPaths(this.#home, id);
    const kind = kindOf(folder);
    if (kind === "nothing") throw noSession(text, `there is no session ${id}`);
    if (kind === "other") throw noSession(text, `${folder} is not a folder of its own`);
    return new SessionFiles(this.#home, id, this.#clock);
  }

  /** Opens a session as `open` does and returns its row in a listing. */
  row(text: string): SessionRow {
    return rowOf(this.open(text), this.#clock.now());
  }

  /** Newest first. A session that cannot be read gets a row with the problem and breaks nothing. */
  list(): readonly SessionRow[] {
    const ids = this.#folders.names().flatMap((name) => asSessionId(name) ?? []);
    const now = this.#clock.now();
    const rows = ids.map((id) => rowOf(new SessionFiles(this.#home, id, this.#clock), now));
    return rows.sort((a, b) => (startOf(a) < startOf(b) ? 1 : -1));
  }

  /** Lists the sessions of a source, newest first. `source` may be any path that leads to the same work tree. */
  ofSource(source: string): readonly SessionRow[] {
    const real = realOrSame(source);
    return this.list().filter((row) => row.source !== null && (row.source === real || realOrSame(row.source) === real));
  }

  /** The newest session of `source`, or of all if `source` has none. */
  latest(source: string | null): SessionRow | null {
    const own = source === null ? [] : this.ofSource(source);
    return own[0] ?? this.list()[0] ?? null;
  }

  /**
   * Removes a session's folder for good. Its worktree must be empty or gone by then: the clerk removes what the worker
   * left there, and the host follows nothing into it.
   */
  remove(id: SessionId): void {
    this.#folders.remove(id, this.open(id).paths);
  }

  /** Finishes the removal of one session that a crash cut short; false if there is nothing to finish. */
  finishRemoval(text: string): boolean {
    return this.#folders.finishRemoval(text);
  }
}

function kindOf(path: string): "nothing" | "folder" | "other" {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return "nothing";
    // a link in a parent folder leads elsewhere as well
    return stat.isDirectory() && realpathSync(path) === path ? "folder" : "other";
  } catch (error) {
    throw diskTrouble("look at", path, error);
  }
}

function firstCheckpoint(id: SessionId, { source, baseCommit }: Origin, now: string): Checkpoint {
  return {
    v: 1,
    mode: "tasks",
    id,
    status: "preparing",
    source,
    base_commit: baseCommit,
    last_commit: baseCommit,
    image: null,
    tokens: 0,
    cost: null,
    created_at: now,
    updated_at: now,
  };
}

/** If the checkpoint cannot be read, the id tells when the session was made, to the second. */
function startOf({ createdAt, id }: SessionRow): string {
  const [, year, month, day, hour, minute, second] = /^(....)(..)(..)-(..)(..)(..)/.exec(id) ?? [];
  return `${createdAt ?? `${year}-${month}-${day}T${hour}:${minute}:${second}`} ${id}`;
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function noSession(id: string, message: string): TilthError {
  return new TilthError(
    "usage",
    message,
    id === "" ? "name one of those that tilth sessions lists" : "list the sessions: tilth sessions",
  );
}
