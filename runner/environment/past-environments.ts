import type { TilthEvent } from "../session/log/events.js";
import type { Blobs } from "./dependency-files.js";
import type { EnvironmentChoice } from "./environment-key.js";

export interface PastEnvironment {
  /** null when the files of that tree ask for no environment */
  readonly key: string | null;
  /** null for the session's base */
  readonly tree: string | null;
  /** the files it was made from; null when the log of an older version does not say */
  readonly files: Blobs | null;
}

/** A tree with its task: another task that makes the same tree may not have been allowed to change its needs. */
export interface TreeOfTask {
  readonly tree: string;
  readonly task_id: string;
}

/** The environments of a session, as its log tells of them. */
export class PastEnvironments {
  readonly #tried = new Map<string, PastEnvironment>();
  readonly #byFiles = new Map<string, string>();
  #choice: EnvironmentChoice | null = null;
  #inForce: PastEnvironment | null = null;

  /** Null when no environment was ever asked for. */
  get choice(): EnvironmentChoice | null {
    return this.#choice;
  }

  /** The environment of the last tree that became a commit. */
  get inForce(): PastEnvironment | null {
    return this.#inForce;
  }

  /** Returns undefined when that task left the environment as it was. */
  of(tried: TreeOfTask): PastEnvironment | undefined {
    return this.#tried.get(idOf(tried));
  }

  /**
   * Returns the key under which the session has an environment of exactly these files, or null when it never had one.
   */
  keyOf(files: Blobs): string | null {
    return this.#byFiles.get(spelt(files)) ?? null;
  }

  add({ type, payload }: TilthEvent): void {
    if (type === "commit") this.#inForce = this.of(payload) ?? this.#inForce;
    if (type !== "environment") return;
    const { key, tree, task_id = "", dependencies, from_source: fromSource, version } = payload;
    this.#choice ??= { dependencies, fromSource, version };
    const files = payload.files === undefined ? null : new Map(payload.files);
    if (key !== null && files !== null) this.#byFiles.set(spelt(files), key);
    if (tree === null) this.#inForce = { key, tree, files };
    else this.#tried.set(idOf({ tree, task_id }), { key, tree, files });
  }
}

export function idOf({ tree, task_id }: TreeOfTask): string {
  return `${task_id} ${tree}`;
}

function spelt(files: Blobs): string {
  return JSON.stringify([...files].sort());
}
