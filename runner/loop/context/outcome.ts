import type { CommitId, TreeId } from "../../base/ids.js";
import type { WholeDiff } from "../../hands/clerk-port.js";
import type { Case, Verdict } from "../../session/events.js";
import type { StopReason, TaskFailure } from "../../session/outcome.js";
import type { CapMet } from "./caps.js";

/** How the whole run ended. */
export interface Stop {
  readonly reason: StopReason;
  readonly detail: string;
  readonly hint: string;
}

/** Ends the run from between two calls; the task is pending. */
export class CapReached extends Error {
  constructor(readonly stop: CapMet) {
    super(stop.detail);
    this.name = "CapReached";
  }
}

/** How a task ended; what is neither accepted nor failed left it pending and is an error on its way out. */
export type TaskEnd =
  | { readonly kind: "done"; readonly commit: CommitId; readonly tree: TreeId }
  | { readonly kind: "failed"; readonly reason: TaskFailure; readonly detail: string }
  | { readonly kind: "capped"; readonly stop: CapMet };

/** The last accepted state: what a task starts from and what its diff is against. */
export interface Accepted {
  readonly commit: CommitId;
  readonly tree: TreeId;
}

/** What the evaluator accepted, on its way to becoming a commit. */
export interface AcceptedCase {
  readonly tree: TreeId;
  readonly case: Case;
  readonly verdict: Verdict;
  readonly diff: WholeDiff;
}

/** Ends the task from wherever it is noticed. */
export class TaskFailed extends Error {
  readonly reason: TaskFailure;
  constructor(reason: TaskFailure, detail: string) {
    super(detail);
    this.name = "TaskFailed";
    this.reason = reason;
  }
}
