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

/** Why a cheat does not end in a commit: a check's reason, no tree could be made of it, or its diff is too large to review. */
export type Stop = CheckReason | "no_tree" | "diff_too_large";

export type Written = Readonly<Record<string, string | Uint8Array | null>>;

export interface Attempt {
  readonly says: string;
  /** over the common project; null takes a file away */
  readonly files?: Written;
  /** what the worker types in its container beside them; the naive adapter goes by the same shell */
  readonly commands?: string;
}

export interface Cheat extends Attempt {
  readonly name: string;
  readonly task: TaskName;
  /** any of these; "note" where it leaves an integrity note and nothing more, "evaluator" where not even that */
  readonly stoppedBy: readonly Stop[] | "note" | "evaluator";
  /** what stops it where the task's own text names the construct, and the scanner lets it through for that */
  readonly behind?: readonly Stop[];
  /** what a naive harness would go by, where that is not the exit status of pytest */
  readonly naive?: (pytest: string) => string;
  readonly timeoutMs?: number;
  /** played through a whole session too; those with commands always are */
  readonly whole?: true;
  /** honest work with the same construct or one like it: accepted */
  readonly twin: Attempt & {
    /** what the task says beyond its description */
    readonly text?: string;
  };
}
