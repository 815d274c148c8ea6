import type { TreeId } from "../../base/ids.js";
import type { Change } from "../../hands/clerk-port.js";
import type { EnvironmentShown } from "../../memory/environment-text.js";
import type { TaskSpan } from "../../session/events.js";

export interface ForTree {
  readonly tree: TreeId;
  /** the last accepted one */
  readonly last: TreeId;
  readonly changes: readonly Change[];
  /** title, description and criteria of the task */
  readonly taskText: string;
  readonly span: TaskSpan;
}

export type Placed =
  /** `inForce`: it is judged in the environment in force */
  | { readonly ok: true; readonly inForce: boolean; readonly notes: readonly string[] }
  /** what the tree's dependency files ask for cannot be had */
  | { readonly ok: false; readonly problem: string };

/** Which environment of the project the hands use. */
export interface Environments {
  readonly shown: EnvironmentShown | null;
  /** of the one in force; null for none */
  readonly key: string | null;
  /** That of an accepted tree is in force, and in use, from now on. */
  putInForce(accepted: { readonly tree: TreeId; readonly task_id: string }): Promise<void>;
  /** The one in force is in use, whatever was tried since. */
  useInForce(): void;
  /** That in which a submitted tree is judged is in use from now on. */
  useFor(submitted: ForTree): Promise<Placed>;
}

/** For a session whose project has none. */
export const noEnvironments: Environments = {
  shown: null,
  key: null,
  putInForce: async () => undefined,
  useInForce: () => undefined,
  useFor: async () => ({ ok: true, inForce: true, notes: [] }),
};
