import { quietly } from "../../base/quietly.js";
import { counterJudgement, leftOutSites, sitesInOrder } from "../../checks/counter.js";
import type { CounterReport } from "../../hands/ports/checks/counter.js";
import type { CheckResult } from "../../session/log/events/checks.js";
import type { TaskSpan } from "../../session/log/events.js";
import type { RunContext } from "../context/run-context.js";
import type { Checked } from "./checking.js";

/** Runs the passed tests of a tree again, with each assertion made false, while the evaluator reads. */
export class CounterCheck implements AsyncDisposable {
  readonly #run: RunContext;
  readonly #checked: Checked;
  readonly #leaving = new AbortController();
  readonly #report: Promise<CounterReport>;

  constructor(run: RunContext, checked: Checked) {
    this.#run = run;
    this.#checked = checked;
    this.#report = quietly(this.#count(AbortSignal.any([run.signal, this.#leaving.signal])));
  }

  /** Logs the result; an accept counts only if it passed. */
  async outcome(span: TaskSpan): Promise<CheckResult> {
    const report = await this.#report;
    const { facts, tree } = this.#checked.request;
    const result = counterJudgement(report);
    const unjudged = [...leftOutSites(facts, this.#checked.reached), ...report.leftOut];
    this.#run.events.append("counter_check", {
      ...span,
      tree,
      passed: result.passed,
      reached: report.reached.length,
      caught: report.caught.map(({ site, tests, why }) => `${site} ${tests.join(" ")}${why ? ` (${why})` : ""}`),
      ...(report.failedAgain === null ? {} : { failed_again: report.failedAgain }),
      left_out: unjudged.map(({ site, why }) => `${site} ${why}`),
    });
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    await this.#report.catch(() => undefined);
  }

  #count(signal: AbortSignal): Promise<CounterReport> {
    const { hands, settings } = this.#run;
    const { facts, tree, staged, taskText, since } = this.#checked.request;
    const taskTexts = [taskText, ...since.taskTexts];
    const { reached } = this.#checked;
    const sites = sitesInOrder(facts, reached);
    return hands.checks.counter(
      { tree, staged, sites, reached, taskTexts, budgetMs: settings.counterCheckSeconds * 1000 },
      signal,
    );
  }
}
