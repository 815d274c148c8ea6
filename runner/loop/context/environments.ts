import type { TreeId } from "../../base/ids.js";
import type { Change } from "../../hands/ports/clerk.js";
import type { EnvironmentShown } from "../../memory/environment-text.js";
import type { TaskSpan } from "../../session/log/events.js";

export interface ForTree {
  readonly tree: TreeId;
  /** the last accepted tree */
  readonly last: TreeId;
  readonly changes: readonly Change[];
  /** title, description and criteria of the task */
  readonly taskText: string;
  readonly span: TaskSpan;
}

export type Placed =
  /** `inForce`: the tree is judged in the environment in force */
  | { readonly ok: true; readonly inForce: boolean; readonly notes: readonly string[] }
  /** the tree's dependency files ask for something unavailable */
  | { readonly ok: false; readonly problem: string };

/** Chooses the project environment that the hands use. */
export interface Environments {
  readonly shown: EnvironmentShown | null;
  /** key of the environment in force; null for none */
  readonly key: string | null;
  /** From now on the environment of an accepted tree is in force and in use. */
  putInForce(accepted: { readonly tree: TreeId; readonly task_id: string }): Promise<void>;
  /** Uses the environment in force again, whatever was tried since. */
  useInForce(): void;
  /** Later checks use the environment the submitted tree was judged in. */
  useFor(submitted: ForTree): Promise<Placed>;
}

/** For a session whose project has no environment. */
export const noEnvironments: Environments = {
  shown: null,
  key: null,
  putInForce: async () => undefined,
  useInForce: () => undefined,
  useFor: async () => ({ ok: true, inForce: true, notes: [] }),
};
