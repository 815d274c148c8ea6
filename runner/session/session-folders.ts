import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../base/clock.js";
import { TilthError } from "../base/errors.js";
import { asSessionId, type HostPath, type SessionId } from "../base/ids.js";
import { diskTrouble, errnoCode } from "../disk/disk-trouble.js";
import { type SessionPaths, sessionPaths, sessionsFolder } from "./state/session-paths.js";

/** much longer than writing a first checkpoint takes */
const birthMs = 60_000;
/** name of a checkpoint that was never moved into its place */
const unborn = /^checkpoint\.json\.[0-9a-f]+\.tmp$/;

/** The folders of all sessions of one home: how one comes and how it goes, also if a crash comes between. */
export class SessionFolders {
  readonly #home: HostPath;
  readonly #clock: Pick<Clock, "now">;

  constructor(home: HostPath, clock: Pick<Clock, "now">) {
    this.#home = home;
    this.#clock = clock;
  }

  /** Everything that stands among the sessions, sessions or not. */
  names(): string[] {
    const folder = sessionsFolder(this.#home);
    try {
      return readdirSync(folder);
    } catch (error) {
      if (errnoCode(error) === "ENOENT") return [];
      throw diskTrouble("read", folder, error);
    }
  }

  /** Makes a new folder, private to the user. What earlier processes left half made or half removed goes first. */
  make(): SessionId {
    this.#makeSessionsFolder();
    this.#finishRemovals();
    this.#dropUnborn();
    return this.#makeFolder();
  }

  /** The worktree is empty or gone by then. */
  remove(id: SessionId, { folder, worktree }: SessionPaths): void {
    try {
      removeEmptyFolder(worktree);
      // renamed first, so that it leaves every listing at once and a crash leaves clutter, not half a session
      const gone = join(sessionsFolder(this.#home), `.removed-${id}`);
      renameSync(folder, gone);
      rmSync(gone, { recursive: true, force: true });
    } catch (error) {
      throw diskTrouble("remove", folder, error);
    }
  }

  /** Returns false if there is nothing to finish. */
  finishRemoval(text: string): boolean {
    const id = asSessionId(text);
    return id !== null && this.names().includes(`.removed-${id}`) && this.#dropRemoved(`.removed-${id}`);
  }

  #finishRemovals(): void {
    for (const name of this.names()) if (name.startsWith(".removed-")) this.#dropRemoved(name);
  }

  /** Removes folders whose process died before the first checkpoint, but not those of a process about to write it. */
  #dropUnborn(): void {
    const latest = this.#clock.now().getTime() - birthMs;
    for (const name of this.names()) {
      const path = join(sessionsFolder(this.#home), name);
      if (asSessionId(name) !== null && isUnborn(path, latest)) removeNew(path);
    }
  }

  /** Removes only folders that `remove` renamed: their worktree was already empty. */
  #dropRemoved(name: string): boolean {
    const path = join(sessionsFolder(this.#home), name);
    if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
    try {
      rmSync(path, { recursive: true, force: true });
    } catch (error) {
      throw diskTrouble("remove", path, error);
    }
    return true;
  }

  #makeSessionsFolder(): void {
    const folder = sessionsFolder(this.#home);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // a link could lead into the source, which must not contain sessions
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
        return id;
      } catch (error) {
        if (errnoCode(error) !== "EEXIST") throw diskTrouble("make the folder", folder, error);
      }
    }
  }
}

export function newSessionId(now: Date): SessionId {
  const [date = "", time = ""] = now.toISOString().replace(/[-:]/g, "").split(/[T.]/);
  const id = asSessionId(`${date}-${time}-${randomBytes(3).toString("hex")}`);
  if (id === null) throw new Error(`the clock gives no session id: ${now.toISOString()}`);
  return id;
}

/**
 * Removes a folder without a checkpoint, which nobody can read. A failure here must not hide why the checkpoint is
 * missing.
 */
export function removeNew(folder: string): void {
  try {
    rmSync(folder, { recursive: true });
  } catch (error) {
    if (errnoCode(error) === null) throw error;
  }
}

function isUnborn(folder: string, latest: number): boolean {
  try {
    const stat = lstatSync(folder);
    return stat.isDirectory() && stat.mtimeMs <= latest && readdirSync(folder).every((file) => unborn.test(file));
  } catch (error) {
    if (errnoCode(error) === null) throw error;
    return false;
  }
}

function removeEmptyFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (errnoCode(error) !== "ENOENT") throw error;
  }
}
