import { SeedTests } from "../../../loop/context/seed-tests.js";
import type { Prd } from "../../../session/state/prd.js";
import type { CommitObject } from "../committed/commit-objects.js";
import type { Chain, CommittedTest } from "../committed/seed-bytes.js";
import type { Acceptance } from "../log/acceptances.js";
import type { Findings } from "../log/findings.js";
import type { Recheck } from "./check-again.js";

export interface RecheckSubject extends Pick<Chain, "links"> {
  readonly prd: Prd | null;
  readonly acceptances: readonly Acceptance[];
  readonly tests: readonly CommittedTest[];
  /** the commits that checks can be run on */
  readonly commits: ReadonlyMap<string, CommitObject>;
}

/** Selects the commits that stand on the base or on another commit selected. */
export function standing({ base, links, commits }: Chain): ReadonlyMap<string, CommitObject> {
  const found = new Map<string, CommitObject>();
  for (const { sha } of links) {
    const commit = commits.get(sha);
    const parent = commit?.parents[0];
    if (commit && parent && (parent === base || found.has(parent))) found.set(sha, commit);
  }
  return found;
}

/**
 * Selects the checks that can be run again, each with the session as it was then; the staged tests are the committed
 * ones.
 */
export function recheckable(
  { prd, acceptances, tests, links, commits }: RecheckSubject,
  findings: Findings,
): readonly Recheck[] {
  const done = new Set<string>();
  return acceptances.flatMap((acceptance): Recheck[] => {
    const { taskId, check } = acceptance;
    const at = links.findIndex(({ logged }) => logged === acceptance.commit);
    const [last, commit] = [commits.get(links[at - 1]?.sha ?? ""), commits.get(links[at]?.sha ?? "")];
    const staged = new Map(
      tests.filter(({ since }) => since < at).map((test) => [test.name, test.content.toString("utf8")]),
    );
    const then = prdThen(prd ?? [], staged, done);
    done.add(taskId);
    const task = then.find(({ id }) => id === taskId);
    if (check === null || !last || !commit || !task) {
      findings.remarks.push(`the check of ${taskId} was not run again, because its record is incomplete`);
      return [];
    }
    const seedTests = new SeedTests(then, staged);
    return [{ acceptance: { ...acceptance, check }, task, prd: then, seedTests, last: last.tree, tree: commit.tree }];
  });
}

/** The plan as it was then: the tasks staged by then, with those done by then. */
function prdThen(prd: Prd, staged: ReadonlyMap<string, string>, done: ReadonlySet<string>): Prd {
  const numbers = new Set([...staged.keys()].map((name) => /^test_t(\d+)_/.exec(name)?.[1]));
  return prd
    .filter(({ id }) => numbers.has(id.slice("T-".length)))
    .map((task) => ({ ...task, status: done.has(task.id) ? ("done" as const) : ("pending" as const) }));
}
