import { type CommitId, commitId, type TreeId, treeId } from "../base/ids.js";
import { presentsCase } from "../session/log/case-tool.js";
import type { LedgerEntry, Verdict } from "../session/log/events/verdicts.js";
import type { Payload, TaskSpan, TilthEvent } from "../session/log/events.js";
import type { TaskOutcome } from "../session/session-files.js";
import type { TaskStatus } from "../session/state/prd.js";

/** The evaluator's last verdict on a task. */
export interface Judged {
  readonly span: TaskSpan;
  readonly ts: string;
  readonly tree: TreeId;
  readonly verdict: Verdict;
  /** the arguments of the case it judged */
  readonly presented: unknown;
  /** result of the counter-check; null if it has not reported yet */
  readonly countered: boolean | null;
  /** result of the project's own tests; null if they have not reported yet */
  readonly suited: boolean | null;
}

export interface Outcome {
  readonly taskId: string;
  readonly how: TaskOutcome;
}

/** A commit of the session's branch, made for a task. */
export interface TaskCommit {
  readonly span: TaskSpan;
  readonly sha: CommitId;
  readonly tree: TreeId;
}

interface TaskPast {
  verdicts: number;
  readonly entries: LedgerEntry[];
  judged: Judged | null;
  status: TaskStatus;
}

/** A session according to its log; fed first by the log's reader, then by its listener. */
export class Past {
  /** the commit the branch was last left at; null before a seed was accepted */
  last: CommitId | null = null;
  /** commits made since then; the branch may be at one of them */
  readonly prepared: TaskCommit[] = [];
  /** commits on the branch that are not logged as done yet */
  readonly undone: TaskCommit[] = [];
  /** in the order of the log */
  readonly outcomes: Outcome[] = [];
  /** null while a run goes on, and after a run that died without a `stop` */
  lastStop: Payload<"stop">["reason"] | null = null;
  /** a seed's commit, which counts once the seed is accepted */
  #planted: CommitId | null = null;
  readonly #tasks = new Map<string, TaskPast>();
  /** the commit of each task */
  readonly #commits = new Map<string, CommitId>();
  #presented: { readonly span: string; readonly args: unknown } | null = null;

  add(event: TilthEvent): void {
    switch (event.type) {
      case "session_start":
        this.lastStop = null;
        break;
      case "stop":
        this.lastStop = event.payload.reason;
        break;
      case "seed_committed":
        this.#planted = commitId(event.payload.sha);
        break;
      case "session_prepared":
        if (this.#planted !== null) this.#left(this.#planted);
        break;
      case "tool_call":
        if (presentsCase(event.payload))
          this.#presented = { span: event.payload.span_id ?? "", args: event.payload.args };
        break;
      case "evaluator_verdict":
        this.#addVerdict(event.payload, event.ts);
        break;
      case "ledger_appended":
        this.#task(event.payload.task_id).entries.push(event.payload.entry);
        break;
      case "counter_check":
        this.#addCounterCheck(event.payload);
        break;
      case "suite_run":
        this.#addSuiteRun(event.payload);
        break;
      case "commit_prepared":
        this.prepared.push(commitOf(event.payload));
        break;
      case "commit":
        this.undone.push(commitOf(event.payload));
        this.#commits.set(event.payload.task_id, commitId(event.payload.sha));
        this.#left(commitId(event.payload.sha));
        break;
      case "task_done":
        this.undone.length = 0;
        this.#addOutcome(event.payload.task_id, "done");
        break;
      case "task_failed":
        this.#addOutcome(event.payload.task_id, event.payload.reason);
        break;
      case "session_resume":
        this.lastStop = null;
        for (const id of event.payload.retried) this.#task(id).status = "pending";
    }
  }

  /** A task without a commit of its own is not done. */
  statusOf(taskId: string): TaskStatus {
    const told = this.#tasks.get(taskId)?.status ?? "pending";
    return told === "done" && !this.#commits.has(taskId) ? "pending" : told;
  }

  get hasCommits(): boolean {
    return this.#commits.size > 0;
  }

  /** Drops the commits that are not on the branch. */
  countOnly(held: ReadonlySet<string>): void {
    for (const [taskId, sha] of this.#commits) if (!held.has(sha)) this.#commits.delete(taskId);
  }

  entriesOf(taskId: string): readonly LedgerEntry[] {
    return this.#tasks.get(taskId)?.entries ?? [];
  }

  /** Returns the verdict without a ledger entry: there is at most one, the last. */
  unledgered(taskId: string): Judged | null {
    const task = this.#tasks.get(taskId);
    return task && task.entries.length < task.verdicts ? task.judged : null;
  }

  /** Returns an accepted case that never became a commit. */
  accepted(): Judged | null {
    for (const { judged, status } of this.#tasks.values())
      if (status === "pending" && judged?.verdict.verdict === "accept" && isOpen(judged)) return judged;
    return null;
  }

  #left(commit: CommitId): void {
    this.last = commit;
    this.prepared.length = 0;
  }

  #addVerdict(payload: Payload<"evaluator_verdict">, ts: string): void {
    const task = this.#task(payload.task_id);
    task.verdicts += 1;
    const presented = this.#presented?.span === payload.span_id ? this.#presented.args : null;
    const tree = treeId(payload.tree);
    task.judged = {
      span: spanOf(payload),
      ts,
      tree,
      verdict: payload.verdict,
      presented,
      countered: null,
      suited: null,
    };
  }

  #addCounterCheck({ task_id, tree, passed }: Payload<"counter_check">): void {
    const task = this.#task(task_id);
    if (task.judged?.tree === tree) task.judged = { ...task.judged, countered: passed };
  }

  #addSuiteRun({ task_id, tree, passed }: Payload<"suite_run">): void {
    const task = this.#task(task_id);
    if (task.judged?.tree === tree) task.judged = { ...task.judged, suited: passed };
  }

  #addOutcome(taskId: string, how: Outcome["how"]): void {
    this.outcomes.push({ taskId, how });
    this.#task(taskId).status = how === "done" ? "done" : "failed";
  }

  #task(taskId: string): TaskPast {
    const known = this.#tasks.get(taskId);
    if (known) return known;
    const task: TaskPast = { verdicts: 0, entries: [], judged: null, status: "pending" };
    this.#tasks.set(taskId, task);
    return task;
  }
}

function isOpen({ countered, suited }: Judged): boolean {
  return countered !== false && suited !== false;
}

function commitOf(payload: Payload<"commit">): TaskCommit {
  return { span: spanOf(payload), sha: commitId(payload.sha), tree: treeId(payload.tree) };
}

function spanOf({ task_id, trace_id, span_id, iter }: TaskSpan): TaskSpan {
  return { task_id, trace_id, span_id, iter };
}
