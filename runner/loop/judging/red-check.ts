import { TilthError } from "../../base/errors.js";
import { quietly } from "../../base/quietly.js";
import { redOf } from "../../checks/red.js";
import type { RedReport } from "../../hands/ports/checks/checks.js";
import type { StagedFacts } from "../../hands/ports/checks/staged.js";
import { HandsLost } from "../../hands/ports/hands.js";
import type { TaskSpan } from "../../session/log/events.js";
import type { Task } from "../../session/state/prd.js";
import type { Accepted } from "../context/outcome.js";
import type { RunContext } from "../context/run-context.js";

/** Facts about a task's tests from before any work on it. */
export interface Before {
  /** facts on the task's own staged file and on every done task's */
  readonly facts: readonly StagedFacts[];
  readonly ranRed: readonly string[];
  /** every test of the task passed already, so there may be nothing left to change */
  readonly allGreen: boolean;
  readonly notes: readonly string[];
}

interface RedCheckSubject {
  readonly task: Task;
  readonly last: Accepted;
  readonly span: TaskSpan;
}

/** Runs the task's tests on the last accepted tree while the worker's first replies come in. */
export class RedCheck implements AsyncDisposable {
  readonly #leaving = new AbortController();
  readonly #known: Promise<Before>;

  constructor(run: RunContext, asked: RedCheckSubject) {
    this.#known = quietly(ask(run, asked, AbortSignal.any([run.signal, this.#leaving.signal])));
  }

  /** Settles with the result; failures show here. */
  known(): Promise<Before> {
    return this.#known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    await this.#known.catch(() => undefined);
  }
}

async function ask(run: RunContext, { task, last, span }: RedCheckSubject, signal: AbortSignal): Promise<Before> {
  const { hands, seedTests, events, settings } = run;
  const [own, ...done] = seedTests.judging(task, run.plan());
  const request = {
    tree: last.tree,
    run: own ? [own] : [],
    read: done,
    timeoutMs: settings.checkTimeoutSeconds * 1000,
  };
  // the base is linted before anything runs in the container, so the tests can use the same one
  await run.ruffRules().catch(lostTwice);
  const report = await hands.checks.red(request, signal).catch(lostTwice);
  hands.checks.prepare();
  const [red] = redOf(report);
  if (!red) throw new Error(`no staged test of ${task.id} was run`);
  for (const path of red.opened) run.opened.add(path);
  events.append("red_check", {
    ...span,
    tree: last.tree,
    at: "task",
    tests: { ...red.tests },
    opened: [...red.opened],
  });
  if (red.green.length > 0) events.append("seed_test_not_red", { ...span, tests: [...red.green] });
  return { facts: report.facts, ranRed: red.ranIds, allGreen: red.allGreen, notes: notesOn(task, report, red.green) };
}

function notesOn(task: Task, { facts }: RedReport, green: readonly string[]): readonly string[] {
  const passed = green.map((id) => `passed before the task began, so it proves nothing: ${id}`);
  return [...passed, ...criteriaNotes(facts[0], task.acceptance_criteria.length)];
}

function lostTwice(error: unknown): never {
  if (!(error instanceof HandsLost)) throw error;
  throw new TilthError(
    "infra",
    `the container that looks at the task's tests went away twice: ${error.message}`,
    "raise TILTH_SANDBOX_MEMORY if the tests need it, then tilth resume",
    error,
  );
}

/** Notes criteria that tests name and the task lacks, and, if any is named at all, those that no test names. */
export function criteriaNotes(facts: StagedFacts | undefined, criteria: number): readonly string[] {
  const named = facts?.tests.filter((test) => test.criteria.length > 0) ?? [];
  if (named.length === 0) return [];
  const unknown = named.flatMap(({ id, criteria: numbers }) =>
    numbers.filter((number) => number < 1 || number > criteria).map((number) => `${id} names criterion ${number}`),
  );
  const known = new Set(named.flatMap((test) => test.criteria));
  const orphans = Array.from({ length: criteria }, (_, index) => index + 1).filter((number) => !known.has(number));
  return [
    ...unknown.map((what) => `${what}, which the task does not have`),
    ...orphans.map((number) => `criterion ${number} is named by no seed test, while others are`),
  ];
}
