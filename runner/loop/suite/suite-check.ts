import { quietly } from "../../base/quietly.js";
import { baseOf } from "../../checks/expectations.js";
import { type Baseline, fileOf } from "../../checks/suite/baseline.js";
import {
  nothingFound,
  type SuiteFindings,
  suiteNotes,
  suiteResult,
  together,
  toldOnly,
  quietly as unneeded,
} from "../../checks/suite/findings.js";
import { isHeld } from "../../checks/suite/suspects.js";
import type { CheckRequest } from "../../hands/ports/checks/checks.js";
import type { CheckResult } from "../../session/log/events/checks.js";
import type { TaskSpan } from "../../session/log/events.js";
import type { RunContext } from "../context/run-context.js";
import type { Checked, Submitted } from "../judging/checking.js";
import { questionOf } from "./question.js";
import { SuiteTrial } from "./trial.js";

export interface SuiteAsked {
  readonly submitted: Submitted;
  readonly checked: Checked;
  /** null if the project's own tests do not count */
  readonly baseline: Baseline | null;
  readonly untold: Set<string>;
}

/** The result of the part that runs before the evaluator. */
export interface FirstPart {
  readonly passed: boolean;
  /** empty if no test ran */
  readonly checks: readonly CheckResult[];
  readonly notes: readonly string[];
}

export type SuiteOutcome =
  | { readonly passed: true }
  /** `settled`: the same tree will fail again */
  | { readonly passed: false; readonly check: CheckResult; readonly settled: boolean };

/**
 * The project's own tests on one submitted tree: those the change touches run first, the rest while the evaluator
 * reads.
 */
export class SuiteCheck implements AsyncDisposable {
  readonly #run: RunContext;
  readonly #asked: SuiteAsked;
  readonly #leaving = new AbortController();
  readonly #trial: SuiteTrial | null;
  #first: SuiteFindings = nothingFound;
  #rest: Promise<SuiteFindings> = Promise.resolve(nothingFound);
  #began = 0;

  constructor(run: RunContext, asked: SuiteAsked) {
    this.#run = run;
    this.#asked = asked;
    const { baseline, untold } = asked;
    const question = baseline && questionOf(run, { ...asked, baseline, first: [...untold] });
    const signal = AbortSignal.any([run.signal, this.#leaving.signal]);
    this.#trial = question && new SuiteTrial(run.hands, question, signal);
  }

  async first(): Promise<FirstPart> {
    const trial = this.#trial;
    if (trial === null) return { passed: true, checks: [], notes: [] };
    this.#began = this.#run.clock.monotonicMs();
    const { first, rest } = await trial.parts();
    this.#first = [await trial.run(first), await trial.missing(), await trial.outdated()].reduce(together);
    const passed = this.#passes(this.#first);
    if (passed && rest.length > 0) this.#beside(trial, rest);
    else await trial[Symbol.asyncDispose]();
    const told = passed ? toldOnly(this.#first) : [];
    const notes = [...suiteNotes(this.#first, trial.rewritten), ...told];
    return { passed, checks: this.#checksOf(passed), notes };
  }

  /** Runs the rest; prepares another container, because the counter-check needs one meanwhile. */
  #beside(trial: SuiteTrial, rest: readonly string[]): void {
    this.#rest = quietly(trial.run(rest));
    this.#run.hands.checks.prepare();
  }

  /** Returns the joint result and logs it if there is any. An accept counts only if it passed. */
  async outcome(span: TaskSpan): Promise<SuiteOutcome> {
    if (this.#trial === null || this.#asked.baseline === null) return { passed: true };
    const rest = await this.#rest;
    const findings = together(this.#first, rest);
    const untold = rest.changed.map(({ name }) => name);
    for (const name of untold) this.#asked.untold.add(fileOf(name));
    const holds = this.#run.settings.suite.mode === "hold";
    const passed = this.#passes(findings) && !(holds && untold.length > 0);
    const joined = [...findings.mended, ...joinedBy(this.#asked.checked, this.#asked.baseline)];
    if (findings.ran + findings.failures.length + joined.length + findings.gone.length + findings.notRun.length > 0)
      this.#record(span, { findings, passed, joined });
    if (passed) return { passed };
    const settled = !this.#passes(findings);
    return { passed, settled, check: settled ? suiteResult(findings, this.#ms) : this.#unread(untold) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    await this.#rest.catch(() => undefined);
    await this.#trial?.[Symbol.asyncDispose]();
  }

  #passes({ failures }: SuiteFindings): boolean {
    return failures.length === 0 || this.#run.settings.suite.mode !== "hold";
  }

  #checksOf(passed: boolean): readonly CheckResult[] {
    if (!passed) return [suiteResult(this.#first, this.#ms)];
    return this.#first.ran === 0 ? [] : [suiteResult({ ...this.#first, failures: [] }, this.#ms)];
  }

  get #ms(): number {
    return Math.max(0, this.#run.clock.monotonicMs() - this.#began);
  }

  /**
   * The evaluator has to see how the change rewrites tests, and these rewrites were found only during the evaluation.
   */
  #unread(names: readonly string[]): CheckResult {
    const said = [
      "The change brings new versions of these tests, which was found only after the evaluator had been asked. Present the case again, as it is, so that the evaluator sees them:",
      ...names,
    ];
    return { name: "own_tests", passed: false, reason: "own_tests", output: said.join("\n"), ms: this.#ms };
  }

  #record(
    span: TaskSpan,
    of: { readonly findings: SuiteFindings; readonly passed: boolean; readonly joined: readonly string[] },
  ): void {
    const { findings, passed, joined } = of;
    const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
    this.#run.events.append("suite_run", {
      ...span,
      tree: this.#asked.submitted.tree,
      last: this.#asked.submitted.last.tree,
      passed,
      ran: findings.ran,
      failed: names(findings.failures),
      changed: names(findings.changed),
      gone: [...findings.gone],
      rewritten: [...unneeded(this.#trial?.rewritten ?? [], findings.changed)],
      outdated: names(findings.outdated),
      joined: [...joined],
      excused: [...findings.excused],
      not_run: [...findings.notRun],
      ms: Math.round(this.#ms),
    });
  }
}

interface AddedTests {
  readonly request: Pick<CheckRequest, "added">;
  readonly seen: readonly { readonly id: string; readonly outcome: string }[];
}

/** Names tests of added or altered files that pass with all parameters: they are held from the change's commit on. */
function joinedBy({ request, seen }: AddedTests, baseline: Baseline): readonly string[] {
  const added = new Set(request.added);
  const own = seen.filter(({ id }) => added.has(fileOf(id)));
  const bad = new Set(own.filter(({ outcome }) => outcome === "failed" || outcome === "error").map(nameOf));
  const good = own.filter(({ outcome }) => outcome === "passed").map(nameOf);
  return [...new Set(good)].filter((name) => !bad.has(name) && !isHeld(baseline, name));
}

function nameOf({ id }: { readonly id: string }): string {
  return baseOf(id);
}
