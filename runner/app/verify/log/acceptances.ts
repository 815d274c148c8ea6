import { type Baseline, SuiteSoFar } from "../../../checks/suite/baseline.js";
import type { EventType } from "../../../session/log/events.js";
import type { LoggedEvent, RecordedLog } from "./recorded-log.js";

/** The log's events on one accepted task; null where the log has none. */
export interface Acceptance {
  readonly taskId: string;
  readonly commit: LoggedEvent<"commit">;
  readonly prepared: LoggedEvent<"commit_prepared"> | null;
  /** the last check before the verdict, the one the evaluator was shown */
  readonly check: LoggedEvent<"check_run"> | null;
  readonly verdict: LoggedEvent<"evaluator_verdict"> | null;
  readonly entry: LoggedEvent<"ledger_appended"> | null;
  readonly done: LoggedEvent<"task_done"> | null;
  readonly red: LoggedEvent<"red_check"> | null;
  readonly counter: LoggedEvent<"counter_check"> | null;
  /** the project's own tests on its tree; null if they were not run */
  readonly suite: LoggedEvent<"suite_run"> | null;
  /** the baseline of the project's own tests at that point; null if there was none */
  readonly ownTests: Baseline | null;
  /** files that tests of the session had been seen to read by then */
  readonly opened: readonly string[];
}

/** Returns the acceptances in the order of their commits. */
export function acceptancesIn(log: RecordedLog): readonly Acceptance[] {
  return log.of("commit").map((commit) => {
    const taskId = commit.payload.task_id;
    const before = <T extends EventType & TaskEvent>(type: T, line: number): LoggedEvent<T> | null =>
      ofTask(log, type, taskId).findLast((logged) => logged.line < line) ?? null;
    const verdict = before("evaluator_verdict", commit.line);
    return {
      taskId,
      commit,
      prepared: before("commit_prepared", commit.line),
      check: before("check_run", verdict?.line ?? commit.line),
      verdict,
      entry: before("ledger_appended", commit.line),
      done: ofTask(log, "task_done", taskId).find((logged) => logged.line > commit.line) ?? null,
      red: before("red_check", commit.line),
      counter: before("counter_check", commit.line),
      suite: suiteBefore(log, commit),
      ownTests: ownTestsBefore(log, commit.line),
      opened: openedBefore(log, verdict?.line ?? commit.line),
    };
  });
}

/** Finds the suite run for the tree that was committed: a run on an earlier tree says nothing about it. */
function suiteBefore(log: RecordedLog, { line, payload }: LoggedEvent<"commit">): LoggedEvent<"suite_run"> | null {
  const all = ofTask(log, "suite_run", payload.task_id).filter((logged) => logged.line < line);
  return all.findLast((logged) => logged.payload.tree === payload.tree) ?? null;
}

function ownTestsBefore(log: RecordedLog, line: number): Baseline | null {
  const soFar = new SuiteSoFar();
  for (const logged of log.of("base_suite", "suite_run", "commit")) if (logged.line < line) soFar.add(logged);
  return soFar.baseline;
}

function openedBefore(log: RecordedLog, line: number): readonly string[] {
  const reds = log.of("red_check").filter((logged) => logged.line < line);
  return [...new Set(reds.flatMap(({ payload }) => payload.opened))].sort();
}

type TaskEvent =
  | "commit_prepared"
  | "check_run"
  | "evaluator_verdict"
  | "ledger_appended"
  | "task_done"
  | "red_check"
  | "counter_check"
  | "suite_run";

export function ofTask<T extends TaskEvent>(log: RecordedLog, type: T, taskId: string): readonly LoggedEvent<T>[] {
  const all = log.of(type) as unknown as readonly LoggedEvent<T>[];
  return all.filter(({ payload }) => payload.task_id === taskId);
}
