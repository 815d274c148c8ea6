import type { CommitId, TreeId } from "../../base/ids.js";
import type { WholeDiff } from "../../hands/ports/clerk.js";
import type { StopReason, TaskFailure } from "../../session/log/events/outcome.js";
import type { Case, Verdict } from "../../session/log/events/verdicts.js";
import type { CapMet } from "./caps.js";

/** The end of a whole run. */
export interface Stop {
  readonly reason: StopReason;
  readonly detail: string;
  readonly hint: string;
}

/** Ends the run between two calls; the task stays pending. */
export class CapReached extends Error {
  constructor(readonly stop: CapMet) {
    super(stop.detail);
    this.name = "CapReached";
  }
}

/** The end of a task. After a cap, or an error that leaves the task, it stays pending. */
export type TaskEnd =
  | { readonly kind: "done"; readonly commit: CommitId; readonly tree: TreeId }
  | { readonly kind: "failed"; readonly reason: TaskFailure; readonly detail: string }
  | { readonly kind: "capped"; readonly stop: CapMet };

/** The last accepted state, which a task starts from and its diff is taken against. */
export interface Accepted {
  readonly commit: CommitId;
  readonly tree: TreeId;
}

/** A case the evaluator accepted, not yet committed. */
export interface AcceptedCase {
  readonly tree: TreeId;
  readonly case: Case;
  readonly verdict: Verdict;
  readonly diff: WholeDiff;
}

/** Ends the task from wherever the failure is noticed. */
export class TaskFailed extends Error {
  readonly reason: TaskFailure;
  constructor(reason: TaskFailure, detail: string) {
    super(detail);
    this.name = "TaskFailed";
    this.reason = reason;
  }
}
