import type { Judgement } from "../checks/judgement.js";
import { parseCase } from "../dialogue/case.js";
import { evaluate } from "../dialogue/evaluator.js";
import { checkReport, noTree, rejection, withLeftOut } from "../dialogue/feedback.js";
import { ledgerEntry } from "../dialogue/ledger.js";
import type { Diff, Snapshot } from "../hands/hands.js";
import { evaluatorPrompt } from "../memory/evaluator-prompt.js";
import type { ToolCall } from "../model/model-client.js";
import { say } from "../prompts.js";
import type { Case, TaskSpan, Verdict } from "../session/events.js";
import type { Task } from "../session/prd.js";
import { runChecks } from "./checking.js";
import { type Accepted, type AcceptedCase, TaskFailed } from "./outcome.js";
import type { RunContext } from "./run-context.js";

type Tree = Extract<Snapshot, { ok: true }>;

/** The cases a worker presents for one task: each is parsed, made a tree, checked, and shown to the evaluator. */
export class Submits {
  readonly #run: RunContext;
  readonly #task: Task;
  readonly #last: Accepted;
  #evaluations = 0;
  #accepted: AcceptedCase | null = null;

  constructor(run: RunContext, task: Task, last: Accepted) {
    this.#run = run;
    this.#task = task;
    this.#last = last;
  }

  /** What the worker is told of its case. */
  async present(call: ToolCall, span: TaskSpan): Promise<string> {
    const { events, workbench, hands, signal } = this.#run;
    const parsed = parseCase(call.arguments, this.#task);
    if (!parsed.ok) {
      events.append("case_parse_error", { ...span, error: parsed.problem, raw: call.arguments });
      return say("case-refused", { problems: parsed.problem });
    }
    await workbench.settled(span);
    const snapshot = await hands.clerk.snapshot(this.#last.tree, signal);
    if (!snapshot.ok) return noTree(snapshot.problems);
    return withLeftOut(await this.#judge(parsed.value, snapshot, span), snapshot.leftOut);
  }

  /** The case that was accepted, if one was; fails with TaskFailed once the last that was allowed was rejected. */
  accepted(): AcceptedCase | null {
    const most = this.#run.settings.caps.maxEvaluatorCallsPerTask;
    if (this.#accepted === null && most !== null && this.#evaluations >= most)
      throw new TaskFailed("evaluator_cap", `the evaluator rejected the last of ${most} cases`);
    return this.#accepted;
  }

  async #judge(presented: Case, snapshot: Tree, span: TaskSpan): Promise<string> {
    if (snapshot.tree === this.#last.tree) return say("no-work");
    const checked = await runChecks(this.#run, { task: this.#task, last: this.#last, ...snapshot, span });
    if (!checked.passed) return checkReport(checked.checks, checked.integrityNotes);
    const diff = await this.#diff(snapshot);
    const verdict = await this.#evaluate({ presented, checked, diff, span });
    this.#record(snapshot, presented, verdict, span);
    if (verdict.verdict === "reject") return rejection(verdict);
    this.#accepted = { tree: snapshot.tree, case: presented, verdict, diff };
    return "Accepted.";
  }

  #diff(snapshot: Tree): Promise<Diff> {
    const { hands, settings, signal } = this.#run;
    return hands.clerk.diff(this.#last.tree, snapshot.tree, settings.maxDiffKb * 1024, signal);
  }

  async #evaluate(of: { presented: Case; checked: Judgement; diff: Diff; span: TaskSpan }): Promise<Verdict> {
    const run = this.#run;
    this.#evaluations += 1;
    const prompt = evaluatorPrompt({
      task: this.#task,
      contextFiles: await run.contextFiles(run.branch.base),
      ledger: run.files.loadLedger(this.#task.id),
      diff: of.diff,
      case: of.presented,
      seedTest: run.seedTests.of(this.#task),
      checks: of.checked.checks,
      integrityNotes: of.checked.integrityNotes,
      greenBefore: false,
    });
    const cutDiffBytes = of.diff.truncated ? of.diff.bytes : null;
    return evaluate({ prompt, span: of.span, cutDiffBytes }, run);
  }

  /** The tree is durable in the clerk's repository before the verdict on it is. */
  #record(snapshot: Tree, presented: Case, verdict: Verdict, span: TaskSpan): void {
    const { events, files, clock } = this.#run;
    const parse_failed = verdict.parse_failed === true;
    events.append("evaluator_verdict", { ...span, tree: snapshot.tree, verdict, parse_failed });
    const entry = ledgerEntry({ now: clock.now(), iter: span.iter }, snapshot.changes, presented, verdict);
    files.appendLedger(this.#task.id, entry);
    events.append("ledger_appended", { ...span, entry });
  }
}
