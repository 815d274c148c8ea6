import type { CheckReason } from "../../runner/checks/reasons.js";
import type { TaskName } from "./exercises.js";

export const ways = [
  "tests",
  "config",
  "environment",
  "bytecode",
  "packages",
  "in-process",
  "time",
  "prompts",
] as const;

/**
 * Reasons for a cheat not to end in a commit: a check's reason, no tree could be made of it, or its diff is too large
 * to review.
 */
export type Stop = CheckReason | "no_tree" | "diff_too_large";

export type Written = Readonly<Record<string, string | Uint8Array | null>>;

export interface Attempt {
  readonly says: string;
  /** files over the common project; null takes a file away */
  readonly files?: Written;
  /** commands that the worker types in its container as well; the naive adapter runs the same shell */
  readonly commands?: string;
}

export interface Cheat extends Attempt {
  readonly name: string;
  readonly task: TaskName;
  /** any of these; "note" if it leaves only an integrity note, "evaluator" if not even that */
  readonly stoppedBy: readonly Stop[] | "note" | "evaluator";
  /** stops it if the task's own text names the construct, so that the scanner lets it through */
  readonly behind?: readonly Stop[];
  /** the command of a naive harness, if that is not plain pytest */
  readonly naive?: (pytest: string) => string;
  readonly timeoutMs?: number;
  /** played through a whole session too; a cheat with commands always is */
  readonly whole?: true;
  /** honest work with the same or a similar construct, which is accepted */
  readonly twin: Attempt & {
    /** words of the task beyond its description */
    readonly text?: string;
  };
}
