import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TilthError } from "../errors.js";
import { type Clock, systemClock } from "../support/clock.js";
import { diskTrouble, errnoCode } from "../support/disk-trouble.js";
import { nodeIo, syncFolder } from "../support/file-io.js";
import { asSessionId, type CommitId, type HostPath, type SessionId } from "../support/ids.js";
import { rowOf, type SessionRow } from "./listing.js";
import { SessionFiles } from "./session-files.js";
import { sessionPaths, sessionsFolder } from "./session-paths.js";

/** All sessions of one `$TILTH_HOME`. */
export class SessionStore {
  readonly #home: HostPath;
  readonly #clock: Pick<Clock, "now">;

  /** `home` is an absolute, real path. */
  constructor(home: HostPath, clock: Pick<Clock, "now"> = systemClock) {
    this.#home = home;
    this.#clock = clock;
  }

  /** A new folder, mine only, with a checkpoint that says `preparing`. */
  create(of: { readonly source: HostPath; readonly baseCommit: CommitId }): SessionFiles {
    this.#makeSessionsFolder();
    this.#finishRemovals();
    const id = this.#makeFolder();
    const files = new SessionFiles(this.#home, id, this.#clock);
    const now = this.#clock.now().toISOString();
    files.saveCheckpoint({
      v: 1,
      mode: "tasks",
      id,
      status: "preparing",
      source: of.source,
      base_commit: of.baseCommit,
      last_commit: of.baseCommit,
      image: null,
      tokens: 0,
      cost: null,
      created_at: now,
      updated_at: now,
    });
    return files;
  }

  /** TilthError `usage` for what is no session of this home; a link in a session's place is none. */
  open(text: string): SessionFiles {
    const id = asSessionId(text);
    if (id === null) throw noSession(text, `${JSON.stringify(text)} is not a session id`);
    const stat = lstatSync(sessionPaths(this.#home, id).folder, { throwIfNoEntry: false });
    if (stat === undefined) throw noSession(text, `there is no session ${id}`);
    if (!stat.isDirectory()) throw noSession(text, `${sessionPaths(this.#home, id).folder} is not a folder of its own`);
    return new SessionFiles(this.#home, id, this.#clock);
  }

  /** Newest first; what cannot be read of a session is said in its row and breaks nothing. */
  list(): readonly SessionRow[] {
    const ids = this.#names().flatMap((name) => asSessionId(name) ?? []);
    const now = this.#clock.now();
    const rows = ids.map((id) => rowOf(new SessionFiles(this.#home, id, this.#clock), now));
    return rows.sort((a, b) => (startOf(a) < startOf(b) ? 1 : -1));
  }

  /** Newest first. `source` may be any path that leads to the same work tree. */
  ofSource(source: string): readonly SessionRow[] {
    const real = realOrSame(source);
    return this.list().filter((row) => row.source !== null && (row.source === real || realOrSame(row.source) === real));
  }

  /** The newest session, of `source` when that has one. */
  latest(source: string | null): SessionRow | null {
    const own = source === null ? [] : this.ofSource(source);
    return own[0] ?? this.list()[0] ?? null;
  }

  /**
   * Removes a session's folder for good. Its worktree must be empty or gone by then: what the worker left there is for
   * the clerk to remove, and the host follows nothing into it.
   */
  remove(id: SessionId): void {
    const { folder, worktree } = this.open(id).paths;
    try {
      removeEmptyFolder(worktree);
      // out of every listing at once, so that a crash half-way leaves clutter and not half a session
      const gone = join(sessionsFolder(this.#home), `.removed-${id}`);
      renameSync(folder, gone);
      rmSync(gone, { recursive: true });
    } catch (error) {
      throw diskTrouble("remove", folder, error);
    }
  }

  /** Of a removal that a crash cut short. */
  #finishRemovals(): void {
    for (const name of this.#names()) {
      if (!name.startsWith(".removed-")) continue;
      const path = join(sessionsFolder(this.#home), name);
      // only what `remove` made: its worktree was empty when it got this name
      if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { recursive: true, force: true });
    }
  }

  #names(): string[] {
    const folder = sessionsFolder(this.#home);
    try {
      return readdirSync(folder);
    } catch (error) {
      if (errnoCode(error) === "ENOENT") return [];
      throw diskTrouble("read", folder, error);
    }
  }

  #makeSessionsFolder(): void {
    const folder = sessionsFolder(this.#home);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // a link could lead into the source, which may not contain sessions
      if (lstatSync(folder).isDirectory()) return;
    } catch (error) {
      throw diskTrouble("make the folder", folder, error);
    }
    throw new TilthError(
      "usage",
      `${folder} is not a folder of its own`,
      "remove it, and set TILTH_HOME to the place you mean",
    );
  }

  #makeFolder(): SessionId {
    for (;;) {
      const id = newSessionId(this.#clock.now());
      const { folder } = sessionPaths(this.#home, id);
      try {
        mkdirSync(folder, { mode: 0o700 });
        syncFolder(sessionsFolder(this.#home), nodeIo);
        return id;
      } catch (error) {
        if (errnoCode(error) !== "EEXIST") throw diskTrouble("make the folder", folder, error);
      }
    }
  }
}

function newSessionId(now: Date): SessionId {
  const [date = "", time = ""] = now.toISOString().replace(/[-:]/g, "").split(/[T.]/);
  const id = asSessionId(`${date}-${time}-${randomBytes(3).toString("hex")}`);
  if (id === null) throw new Error(`the clock gives no session id: ${now.toISOString()}`);
  return id;
}

function startOf(row: SessionRow): string {
  return `${row.createdAt ?? ""} ${row.id}`.trim();
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function removeEmptyFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (errnoCode(error) !== "ENOENT") throw error;
  }
}

function noSession(id: string, message: string): TilthError {
  return new TilthError(
    "usage",
    message,
    id === "" ? "name one: tilth sessions lists them" : "see which there are: tilth sessions",
  );
}
