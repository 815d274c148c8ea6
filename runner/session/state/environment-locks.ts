import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TilthError } from "../../base/errors.js";
import { writeFileAtomic } from "../../disk/atomic-file.js";
import { diskTrouble, errnoCode } from "../../disk/disk-trouble.js";
import { resetCommand, type SessionPaths } from "./session-paths.js";
import { loadTextIfThere } from "./state-file.js";

type Places = Pick<SessionPaths, "environments" | "environmentLock">;

/** The locks of a session's environments: each by its key, and the one in force under a name people look for. */
export class EnvironmentLocks {
  constructor(private readonly paths: Places) {}

  /** Null if the session has no lock with that key. */
  load(key: string): string | null {
    return textOf(this.#path(key));
  }

  save(key: string, lock: string): void {
    if (this.load(key) === lock) return;
    try {
      mkdirSync(this.paths.environments, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw diskTrouble("make the folder", this.paths.environments, error);
    }
    writeFileAtomic(this.#path(key), lock);
  }

  /** For an environment named in the log: TilthError `usage` if its lock is gone. */
  get(key: string): string {
    const lock = this.load(key);
    if (lock !== null) return lock;
    const path = this.#path(key);
    const remedy = `put it back, or remove the session: ${resetCommand(path)}`;
    throw new TilthError("usage", `${path} is gone, and without it the environment cannot be made again`, remedy);
  }

  /** With null, no environment is in force. */
  putInForce(key: string | null): void {
    const path = this.paths.environmentLock;
    if (key === null) {
      rmSync(path, { force: true });
      return;
    }
    const lock = this.get(key);
    if (textOf(path) !== lock) writeFileAtomic(path, lock);
  }

  keys(): readonly string[] {
    try {
      return readdirSync(this.paths.environments).flatMap((name) => /^([0-9a-f]{64})\.lock$/.exec(name)?.[1] ?? []);
    } catch (error) {
      if (errnoCode(error) === "ENOENT") return [];
      throw diskTrouble("read the folder", this.paths.environments, error);
    }
  }

  #path(key: string): string {
    return join(this.paths.environments, `${key}.lock`);
  }
}

/** Null if there is no such file; the lock of an environment without packages is an empty file. */
function textOf(path: string): string | null {
  return existsSync(path) ? loadTextIfThere(path) : null;
}
