import type { TilthEvent } from "../session/events.js";
import type { EnvironmentChoice } from "./environment-key.js";

export interface PastEnvironment {
  /** null: the files of that tree ask for none */
  readonly key: string | null;
  /** null: the session's base */
  readonly tree: string | null;
}

/** What the log of a session says of its environments. */
export class PastEnvironments {
  readonly byTree = new Map<string, PastEnvironment>();
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

  add({ type, payload }: TilthEvent): void {
    if (type === "commit") this.#inForce = this.byTree.get(payload.tree) ?? this.#inForce;
    if (type !== "environment") return;
    const { key, tree, dependencies, from_source: fromSource, version } = payload;
    this.#choice ??= { dependencies, fromSource, version };
    if (tree === null) this.#inForce = { key, tree };
    else this.byTree.set(tree, { key, tree });
  }
}
