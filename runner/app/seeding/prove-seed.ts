import type { TreeId } from "../../base/ids.js";
import type { Hands } from "../../hands/ports/hands.js";
import { baseSuite, type SuiteToBase } from "../../loop/suite/base-suite.js";
import { lintSeed } from "../../seed/lint.js";
import { checkRed, type SeedTried } from "../../seed/red-check.js";
import type { Seed } from "../../seed/seed.js";
import type { EventSink } from "../../session/log/events.js";
import type { SeedPlacement } from "./seed-placement.js";

export interface Proof {
  readonly placement: Pick<SeedPlacement, "treeWith">;
  readonly hands: Pick<Hands, "checks">;
  readonly log: EventSink;
  readonly checkTimeoutMs: number;
  /** how to run the project's own tests; null if they are known already */
  readonly suite: Pick<SuiteToBase, "settings" | "environment"> | null;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

export type Proven =
  | { readonly ok: false; readonly problem: string }
  /** the tree to commit; remarks about its tests have been said */
  | { readonly ok: true; readonly tree: TreeId };

/** Checks that a seed's tests are clean and fail on the existing code, as acceptance tests must. */
export async function proveSeed(seed: Seed, proof: Proof): Promise<Proven> {
  const { placement, hands, signal } = proof;
  // linting runs while the tree is made; if making the tree fails first, that failure is the one reported
  const linted = lintSeed(seed, hands.checks, signal);
  linted.catch(() => undefined);
  const tree = await placement.treeWith(seed);
  const problem = await linted;
  if (problem !== null) return { ok: false, problem };
  const { refused } = await hands.checks.ruffRules(tree, signal);
  const tried = await tryTests(seed, tree, proof);
  if (!tried.ok) return tried;
  proof.log.append("red_check", { tree, at: "staging", tests: tried.tests, opened: tried.opened });
  for (const remark of [...tried.remarks, ...(refused === null ? [] : [refused])]) proof.say(remark);
  await ownTests(seed, tree, proof);
  return { ok: true, tree };
}

/** Not run for a refused seed: the project's own tests may take long. */
async function ownTests({ tests }: Seed, tree: TreeId, { hands, log, suite, say, signal }: Proof): Promise<void> {
  if (!counts(suite)) return;
  const staged = tests.map(({ path }) => path);
  await baseSuite({ ...suite, checks: hands.checks, tree, staged, events: log, say, signal });
}

function tryTests(seed: Seed, tree: TreeId, { hands, checkTimeoutMs, suite, say, signal }: Proof): Promise<SeedTried> {
  const { checks } = hands;
  return checkRed(seed, { tree, checks, timeoutMs: checkTimeoutMs, thenSuite: counts(suite), say, signal });
}

function counts(suite: Proof["suite"]): suite is NonNullable<Proof["suite"]> {
  return suite !== null && suite.settings.mode !== "off";
}
