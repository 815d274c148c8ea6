import { say } from "../base/prompts.js";
import { quietly } from "../base/quietly.js";
import { parseCase } from "../dialogue/case.js";
import { evaluate } from "../dialogue/evaluator.js";
import { checkReport, noTree, rejection, tooLarge, withLeftOut } from "../dialogue/feedback.js";
import { ledgerEntry } from "../dialogue/ledger.js";
import type { Diff, Snapshot, WholeDiff } from "../hands/ports/clerk.js";
import { type EvaluatorMemory, evaluatorPrompt } from "../memory/evaluator-prompt.js";
import type { ToolCall } from "../model/port/model-client.js";
import type { CheckResult } from "../session/log/events/checks.js";
import type { Case, Verdict } from "../session/log/events/verdicts.js";
import type { TaskSpan } from "../session/log/events.js";
import type { Task } from "../session/state/prd.js";
import type { Accepted, AcceptedCase } from "./context/outcome.js";
import type { RunContext } from "./context/run-context.js";
import { type Checked, runChecks } from "./judging/checking.js";
import { CounterCheck } from "./judging/counter-check.js";
import type { Before, RedCheck } from "./judging/red-check.js";
import type { OwnTests } from "./suite/own-tests.js";
import type { SuiteCheck } from "./suite/suite-check.js";

type Tree = Extract<Snapshot, { ok: true }>;

/** The end of a submit, and what the worker is told of it. */
export type SubmitEnd =
  | { readonly kind: "accepted"; readonly content: string; readonly accepted: AcceptedCase }
  | { readonly kind: "sent_back"; readonly content: string }
  /** sent back like any other, but the evaluator judges no more cases of this task */
  | { readonly kind: "spent"; readonly content: string; readonly most: number };

type Judged = Exclude<SubmitEnd, { kind: "spent" }>;

export interface OfTask {
  readonly task: Task;
  readonly last: Accepted;
  readonly red: RedCheck;
  readonly own: OwnTests;
}

/** A case with a tree that passed the checks. */
interface Presented {
  readonly case: Case;
  readonly snapshot: Tree;
  readonly before: Before;
  readonly checked: Checked;
  readonly suite: SuiteCheck;
  readonly diff: WholeDiff;
  readonly span: TaskSpan;
}

/** The cases a worker presents for one task: each is parsed, made into a tree, checked, and shown to the evaluator. */
export class Submits {
  readonly #run: RunContext;
  readonly #of: OfTask;
  #evaluations = 0;

  constructor(run: RunContext, of: OfTask) {
    this.#run = run;
    this.#of = of;
  }

  present(call: ToolCall, span: TaskSpan): Promise<SubmitEnd> {
    return this.#present(call, span, () => this.#run.workbench.quiet(span));
  }

  /** The same when no worker is running and no container of one was started. */
  presentAgain(call: ToolCall, span: TaskSpan): Promise<SubmitEnd> {
    return this.#present(call, span, async () => undefined);
  }

  async #present(call: ToolCall, span: TaskSpan, worktreeQuiet: () => Promise<void>): Promise<SubmitEnd> {
    const { events, hands, signal } = this.#run;
    const parsed = parseCase(call, this.#of.task);
    if (!parsed.ok) {
      events.append("case_parse_error", { ...span, error: parsed.problem, raw: call.arguments });
      return sentBack(say("case-refused", { problems: parsed.problem }));
    }
    await worktreeQuiet();
    const snapshot = await hands.clerk.snapshot(this.#of.last.tree, signal);
    if (!snapshot.ok) return sentBack(noTree(snapshot.problems));
    const judged = await this.#judge(parsed.value, snapshot, span);
    // after an accept the next task prepares its own container, and after the last task nobody would use one
    if (judged.kind !== "accepted") hands.checks.prepare();
    return this.#counted({ ...judged, content: withLeftOut(judged.content, snapshot.leftOut) });
  }

  #counted(judged: Judged): SubmitEnd {
    const most = this.#run.settings.caps.maxEvaluatorCallsPerTask;
    const isSpent = judged.kind === "sent_back" && most !== null && this.#evaluations >= most;
    return isSpent ? { kind: "spent", content: judged.content, most } : judged;
  }

  async #judge(presented: Case, snapshot: Tree, span: TaskSpan): Promise<Judged> {
    const { task, last, red, own } = this.#of;
    const before = await red.known();
    if (snapshot.tree === last.tree && !before.allGreen) return sentBack(say("no-work"));
    const diffing = quietly(this.#diff(snapshot));
    const submitted = { task, last, before, ...snapshot, span };
    const checked = await runChecks(this.#run, submitted);
    if (!checked.passed) return sentBack(checkReport(checked.checks, checked.integrityNotes));
    const diff = await diffing;
    if (!isWhole(diff)) return sentBack(tooLarge(diff, this.#mostDiffBytes));
    await using suite = await own.against(submitted, checked);
    const first = await suite.first();
    if (!first.passed) await suite.outcome(span);
    const also = {
      ...checked,
      checks: [...checked.checks, ...first.checks],
      integrityNotes: [...checked.integrityNotes, ...first.notes],
    };
    if (!first.passed) return this.#failed(also, first.checks);
    return await this.#decide({ case: presented, snapshot, before, checked: also, suite, diff, span });
  }

  /** Remembers the failure, so that the same tree is not run again. */
  #failed(checked: Checked, found: readonly CheckResult[]): Judged {
    const checks = [...checked.checks.filter((check) => !found.includes(check)), ...found];
    this.#run.checkMemory.keep(checked.request, { ...checked, passed: false, checks });
    return sentBack(checkReport(checks, checked.integrityNotes));
  }

  /** The counter-check runs while the evaluator reads; an accept counts only if both agree. */
  async #decide(presented: Presented): Promise<Judged> {
    const { checked, suite, snapshot, diff, span } = presented;
    await using counter = new CounterCheck(this.#run, checked);
    const verdict = await this.#evaluate(presented);
    this.#record(presented, verdict);
    if (verdict.verdict === "reject") return sentBack(rejection(verdict));
    // the counter-check is logged last: once it is on record, everything an accept depends on is
    const own = await suite.outcome(span);
    if (!own.passed && own.settled) return this.#failed(checked, [own.check]);
    if (!own.passed) return sentBack(checkReport([own.check], checked.integrityNotes));
    const counted = await counter.outcome(span);
    if (!counted.passed) return this.#failed(checked, [counted]);
    const accepted = { tree: snapshot.tree, case: presented.case, verdict, diff };
    return { kind: "accepted", content: "Accepted.", accepted };
  }

  get #mostDiffBytes(): number {
    return this.#run.settings.maxDiffKb * 1024;
  }

  #diff(snapshot: Tree): Promise<Diff> {
    const { hands, signal } = this.#run;
    return hands.clerk.diff(this.#of.last.tree, snapshot.tree, this.#mostDiffBytes, signal);
  }

  async #evaluate({ case: presented, before, checked, diff, span }: Presented): Promise<Verdict> {
    const run = this.#run;
    const { task } = this.#of;
    this.#evaluations += 1;
    const memory: EvaluatorMemory = {
      task,
      contextFiles: await run.contextFiles(run.branch.base),
      ledger: run.files.loadLedger(task.id),
      diff,
      case: presented,
      seedTest: run.seedTests.of(task),
      checks: checked.checks,
      integrityNotes: checked.integrityNotes,
      greenBefore: before.allGreen,
    };
    const prompt = evaluatorPrompt(memory, run.fence.for("evaluator"));
    return evaluate({ prompt, span }, run);
  }

  /** By now the tree is durable in the clerk's repository, so the verdict on it may be recorded. */
  #record({ case: presented, snapshot, span }: Presented, verdict: Verdict): void {
    const { events, files, clock } = this.#run;
    const { id } = this.#of.task;
    const parse_failed = verdict.parse_failed === true;
    events.append("evaluator_verdict", { ...span, tree: snapshot.tree, verdict, parse_failed });
    const entry = ledgerEntry({ now: clock.now(), iter: span.iter }, snapshot.changes, presented, verdict);
    files.appendLedger(id, entry);
    events.append("ledger_appended", { ...span, entry });
  }
}

function sentBack(content: string): Judged {
  return { kind: "sent_back", content };
}

function isWhole(diff: Diff): diff is WholeDiff {
  return !diff.truncated;
}
