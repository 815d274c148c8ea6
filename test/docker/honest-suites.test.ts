import { expect, test } from "vitest";
import { counterJudgement, sitesInOrder } from "../../runner/checks/counter.js";
import { judgementOf } from "../../runner/checks/judgement.js";
import { never, requestOf } from "../helpers/check-world.js";
import { someOf } from "../helpers/every.js";
import { suites } from "../helpers/honest-suites.js";
import { sharedChecks } from "../helpers/shared-checks.js";

const path = "tests/test_t001_it.py";
const { world, checks } = await sharedChecks();

async function checked(source: string, files: Readonly<Record<string, string>>) {
  const staged = [{ path, source }];
  const tree = await world.tree({ [path]: source, ...files });
  const { facts } = await checks.red({ tree, run: [], read: staged, timeoutMs: 1_000 }, never);
  const request = requestOf({ tree, last: tree, staged, facts });
  const report = await checks.run(request, never);
  const reached = report.pytest?.reached ?? {};
  const sites = sitesInOrder(facts, reached);
  const counter = await checks.counter({ tree, staged, sites, reached, budgetMs: 120_000 }, never);
  return { ...judgementOf(report, request), report, counter };
}

test.each(someOf(suites, 4))(
  "honest code passes and a cheat fails in a suite with $name",
  async ({ test: source, files, cheat }) => {
    const honest = await checked(source, files);
    expect(honest, JSON.stringify([honest.checks, honest.counter], null, 1)).toMatchObject({ passed: true });
    expect(honest.counter.caught, JSON.stringify(honest.counter, null, 1)).toEqual([]);
    const cheated = await checked(source, { ...files, ...cheat });
    const told = JSON.stringify([cheated.checks, cheated.report.pytest?.reached, cheated.counter], null, 1);
    expect(cheated.passed && counterJudgement(cheated.counter).passed, told).toBe(false);
  },
);
