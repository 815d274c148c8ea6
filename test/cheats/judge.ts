import type { TreeId } from "../../runner/base/ids.js";
import { addedTests } from "../../runner/checks/added-tests.js";
import { sitesInOrder } from "../../runner/checks/counter.js";
import { judgementOf } from "../../runner/checks/judgement.js";
import { redOf } from "../../runner/checks/red.js";
import type { CheckRequest, Checks, RedReport } from "../../runner/hands/ports/checks/checks.js";
import type { PytestReport } from "../../runner/hands/ports/checks/pytest.js";
import type { Change } from "../../runner/hands/ports/clerk.js";
import { type Files, never, requestOf } from "../helpers/check-world.js";
import { allStaged, base, done, type Task } from "./project.js";

export interface Judged {
  readonly passed: boolean;
  /** reasons of the gates that objected, in their order */
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
  /** for a person who looks for a cause */
  readonly said: string;
}

export interface Case {
  readonly task: Task;
  readonly tree: TreeId;
  readonly files: Files;
  readonly text: string;
  readonly timeoutMs: number;
}

const redMs = 60_000;
const counterMs = 60_000;

/**
 * Runs the gates as a submit passes them, without the evaluator: the red check, the check, and the counter-check of
 * passing tests.
 */
export class CheatJudge {
  readonly #red = new Map<string, Promise<RedReport>>();

  constructor(
    private readonly checks: Checks,
    private readonly last: TreeId,
  ) {}

  async judge(given: Case): Promise<Judged> {
    const red = await this.#redOf(given.task);
    const request = this.#requestFor(given, red);
    const report = await this.checks.run(request, never);
    const judgement = judgementOf(report, request);
    const { integrityNotes: notes } = judgement;
    const said = JSON.stringify({ checks: judgement.checks, notes }, null, 1);
    const reasons = judgement.checks.flatMap(({ reason }) => reason ?? []);
    if (!judgement.passed) return { passed: false, reasons, notes, said };
    const caught = await this.#caught(request, report.pytest?.reached ?? {});
    return {
      passed: caught.length === 0,
      reasons: caught.length > 0 ? ["counter_check"] : [],
      notes,
      said: said + caught,
    };
  }

  async #caught(
    { tree, staged, facts, taskText }: CheckRequest,
    reached: PytestReport["reached"],
  ): Promise<readonly string[]> {
    const sites = sitesInOrder(facts, reached);
    const report = await this.checks.counter(
      { tree, staged, sites, reached, taskTexts: [taskText], budgetMs: counterMs },
      never,
    );
    return report.caught.map(({ site, tests, why }) => `${site}: ${tests.join(", ")} ${why ?? "false"}`);
  }

  #redOf({ name, staged }: Task): Promise<RedReport> {
    const known = this.#red.get(name);
    if (known) return known;
    const read = allStaged.filter(({ path }) => path !== staged.path);
    const found = this.checks.red({ tree: this.last, run: [staged], read, timeoutMs: redMs }, never);
    this.#red.set(name, found);
    return found;
  }

  #requestFor({ task, tree, files, text, timeoutMs }: Case, report: RedReport): CheckRequest {
    const red = redOf(report);
    const staged = [task.staged, done];
    return requestOf({
      tree,
      last: this.last,
      staged,
      allStaged,
      facts: report.facts.filter(({ path }) => staged.some((test) => test.path === path)),
      ranRed: red.flatMap(({ ranIds }) => ranIds),
      opened: red.flatMap(({ opened }) => opened),
      ...addedTests(changesOf(files), allStaged),
      taskText: text,
      timeoutMs,
    });
  }
}

function changesOf(files: Files): readonly Change[] {
  return Object.entries(files)
    .filter(([path, content]) => content !== base[path])
    .map(([path, content]) => ({
      status: content === null ? "deleted" : path in base ? "modified" : "added",
      path,
      mode: "100644",
      oid: "",
      oldOid: "",
    }));
}
