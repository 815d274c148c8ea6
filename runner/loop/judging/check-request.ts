import type { TreeId } from "../../base/ids.js";
import { addedTests } from "../../checks/added-tests.js";
import type { CheckRequest } from "../../hands/ports/checks/checks.js";
import type { StagedFacts } from "../../hands/ports/checks/staged.js";
import type { Change } from "../../hands/ports/clerk.js";
import type { Prd, Task } from "../../session/state/prd.js";
import type { SeedTests } from "../context/seed-tests.js";

export interface ToBeChecked {
  readonly task: Task;
  /** with its statuses at that moment: the tests of done tasks judge too */
  readonly prd: Prd;
  readonly seedTests: SeedTests;
  /** tree of the session's base commit */
  readonly base: TreeId;
  /** the last accepted tree */
  readonly last: TreeId;
  readonly tree: TreeId;
  /** the changes from `last` to `tree` */
  readonly changes: readonly Change[];
  /** facts on staged files; those on files that need not pass are ignored */
  readonly facts: readonly StagedFacts[];
  /** from the red check of the task */
  readonly red: { readonly ranRed: readonly string[]; readonly opened: readonly string[] };
  readonly timeoutMs: number;
}

/** Builds the request for a check, the same for a submit and for verify, which runs the check again. */
export function checkRequestFor(of: ToBeChecked): CheckRequest {
  const { task, prd, seedTests, last, tree, changes, timeoutMs } = of;
  const staged = seedTests.judging(task, prd);
  const allStaged = seedTests.all(prd);
  return {
    tree,
    last,
    staged,
    allStaged,
    facts: staged.flatMap(({ path }) => of.facts.find((facts) => facts.path === path) ?? []),
    ranRed: of.red.ranRed,
    opened: of.red.opened,
    ...addedTests(changes, allStaged),
    taskText: textOf(task),
    since: { base: of.base, taskTexts: prd.filter(({ status }) => status === "done").map(textOf) },
    timeoutMs,
  };
}

function textOf({ title, description, acceptance_criteria: criteria }: Task): string {
  return [title, description, ...criteria].join("\n");
}
