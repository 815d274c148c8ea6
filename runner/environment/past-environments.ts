import type { TilthEvent } from "../session/events.js";
import type { Blobs } from "./dependency-files.js";
import type { EnvironmentChoice } from "./environment-key.js";

export interface PastEnvironment {
  /** null: the files of that tree ask for none */
  readonly key: string | null;
  /** null: the session's base */
  readonly tree: string | null;
  /** what it was made from; null where the log of an older version does not say */
  readonly files: Blobs | null;
}

/** A tree as a task made it: another task that makes the same one may not have been allowed to change what it needs. */
export interface TreeOfTask {
  readonly tree: string;
  readonly task_id: string;
}

/** What the log of a session says of its environments. */
export class PastEnvironments {
  readonly #tried = new Map<string, PastEnvironment>();
  readonly #byFiles = new Map<string, string>();
  #choice: EnvironmentChoice | null = null;
  #inForce: PastEnvironment | null = null;

  /** Null where none was ever asked for. */
  get choice(): EnvironmentChoice | null {
    return this.#choice;
  }

  /** That of the last tree that became a commit. */
  get inForce(): PastEnvironment | null {
    return this.#inForce;
  }

  /** Undefined where that task changed nothing of it. */
  of(tried: TreeOfTask): PastEnvironment | undefined {
    return this.#tried.get(idOf(tried));
  }

  /** The key under which the session has an environment of exactly these files; null where it never had. */
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
