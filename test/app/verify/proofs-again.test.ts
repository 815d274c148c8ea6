import { expect, test } from "vitest";
import { counterAgain } from "../../../runner/app/verify/again/counter-again.js";
import { redAgain } from "../../../runner/app/verify/again/red-again.js";
import type { Acceptance } from "../../../runner/app/verify/log/acceptances.js";
import { Findings } from "../../../runner/app/verify/log/findings.js";
import { compareTrees } from "../../../runner/app/verify/log/log-judgements.js";
import { RecordedLog } from "../../../runner/app/verify/log/recorded-log.js";
import { type CommitId, treeId } from "../../../runner/base/ids.js";
import type { CounterReport } from "../../../runner/hands/ports/checks/counter.js";
import type { StagedFacts } from "../../../runner/hands/ports/checks/staged.js";
import { SeedTests } from "../../../runner/loop/context/seed-tests.js";
import { checkRequestFor } from "../../../runner/loop/judging/check-request.js";
import type { Task } from "../../../runner/session/state/prd.js";
import { never } from "../../helpers/git-repo.js";
import { MemoryHands } from "../../helpers/loop-hands.js";
import { loopSettings } from "../../helpers/loop-settings.js";
import { span } from "../../helpers/recorded-events.js";

const path = "tests/test_t001_one.py";
const source = "from one import value\n\n\ndef test_value():\n    assert value == 1\n";
const id = `${path}::test_value`;
const task: Task = { id: "T-001", title: "One", description: "One.", acceptance_criteria: ["1"], status: "pending" };
const seedTests = new SeedTests([task], new Map([["test_t001_one.py", source]]));
const settings = loopSettings("/nowhere", {});

function world() {
  const hands = new MemoryHands();
  const last = hands.clerk.addTree(new Map([[path, source]]));
  const tree = hands.clerk.addTree(
    new Map([
      [path, source],
      ["one.py", "value = 1\n"],
    ]),
  );
  return { hands, last, tree, findings: new Findings() };
}

test("a recorded red check agrees when it is red again, and one with another reason is named", async () => {
  const { hands, last, tree, findings } = world();
  const recorded = (at: typeof last, tests: Record<string, string>) => {
    const payload = { ...span, tree: at, at: "task" as const, tests, opened: [] };
    const red = { type: "red_check" as const, line: 7, payload };
    return redAgain({ red, task, prd: [task], seedTests, last: at, timeoutMs: 1 }, { hands, findings, signal: never });
  };
  const known = await recorded(last, { [id]: "import" });
  expect(findings.differs).toEqual([]);
  expect([known.ranRed, known.facts.map((facts) => facts.path)]).toEqual([[id], [path]]);
  await recorded(tree, { [id]: "passed" });
  expect(findings.differs).toEqual([]);
  await recorded(tree, { [id]: "import" });
  expect(findings.differs).toEqual([
    {
      what: "red check of T-001, run again",
      where: `events.jsonl line 7 (red_check), payload.tests["${id}"]`,
      expected: "import",
      seen: "passed",
    },
  ]);
});

const site = (line: number, unfair: string | null) => ({ id: `${path}:${line}:4`, test: id, unfair });
const facts: StagedFacts = {
  path,
  problem: "",
  tests: [],
  assertions: [site(5, null), site(6, "inside try"), site(7, null)],
};

test("a counter-check falsifies again the fair assertions that were reached, and names a test that still passes", async () => {
  const { hands, last, tree, findings } = world();
  const request = checkRequestFor({
    ...{ task, prd: [task], seedTests, base: last, last, tree, changes: [], facts: [facts] },
    ...{ red: { ranRed: [], opened: [] }, timeoutMs: 1 },
  });
  const payload = { ...span, tree, passed: true, reached: 1, caught: [], left_out: [] };
  const counter = { type: "counter_check" as const, line: 9, payload };
  const reached = { [id]: [`${path}:5:4`, `${path}:6:4`] };
  await counterAgain(counter, request, { hands, settings, reached, findings, signal: never });
  expect(findings.differs).toEqual([]);
  expect(hands.checks.counted).toMatchObject([{ tree, sites: [`${path}:5:4`], budgetMs: 60_000 }]);

  hands.checks.counter = async ({ sites }): Promise<CounterReport> => ({
    ...{ reached: sites, leftOut: [], failedAgain: null, ms: 1 },
    caught: [{ site: `${path}:5:4`, tests: [id], why: null }],
  });
  await counterAgain(counter, request, { hands, settings, reached, findings, signal: never });
  expect(findings.differs.map(({ where }) => where)).toEqual(
    new Array(2).fill("events.jsonl line 9 (counter_check), payload.passed"),
  );
  expect(findings.differs[0]?.seen).toBe(`passed all the same: ${id}`);
});

test("an accepted commit without a passed counter-check is a difference, unless the session has none at all", () => {
  const tree = treeId("a".repeat(40));
  const sha = "b".repeat(40) as CommitId;
  const logged = <T extends string, P extends object>(type: T, line: number, payload: P) => ({
    type,
    line,
    payload: { ...span, tree, ...payload },
  });
  const verdict = { verdict: "accept" as const, rejection_category: null, concern: "", evidence: [], next_step: null };
  const acceptance: Acceptance = {
    taskId: "T-001",
    check: logged("check_run", 2, {
      image: "",
      passed: true,
      checks: [],
      expected: [],
      seen: [],
      integrity_notes: [],
      ms: 1,
    }),
    verdict: logged("evaluator_verdict", 3, { verdict, parse_failed: false }),
    prepared: logged("commit_prepared", 5, { sha }),
    commit: logged("commit", 6, { sha }),
    done: logged("task_done", 7, { sha }),
    entry: null,
    red: null,
    counter: null,
    suite: null,
    ownTests: null,
    opened: [],
  };
  const differsIn = (log: RecordedLog, counter: Acceptance["counter"]) => {
    const findings = new Findings();
    compareTrees(log, [{ ...acceptance, counter }], { treeOf: () => tree, findings });
    return findings.differs.map(({ what, seen }) => `${what}: ${seen}`);
  };
  const [older, newer] = [new RecordedLog(), new RecordedLog()];
  const red = { ...span, tree, at: "task" as const, tests: {}, opened: [] };
  newer.add({ v: 1, seq: 0, ts: "2026-01-01T00:00:00Z", type: "red_check", payload: red });
  const counter = (passed: boolean) => logged("counter_check", 4, { passed, reached: 1, caught: [], left_out: [] });
  expect(differsIn(older, null)).toEqual([]);
  expect(differsIn(newer, counter(true))).toEqual([]);
  expect(differsIn(newer, null)).toEqual(["counter-check of T-001: nothing"]);
  expect(differsIn(newer, counter(false))).toEqual(["counter-check of T-001: false"]);
});
