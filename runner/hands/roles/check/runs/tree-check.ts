import type { z } from "zod";
import { awakeMs } from "../../../../base/awake.js";
import type { TreeId } from "../../../../base/ids.js";
import { forges } from "../../../../checks/scan.js";
import { checkRequests } from "../../../pipe/wire/check.js";
import type { CheckReport, CheckRequest, RewrittenFile } from "../../../ports/checks/checks.js";
import type { GroundChange } from "../../../ports/checks/pytest.js";
import type { RuffReport } from "../../../ports/checks/ruff.js";
import { containerPaths } from "../../../ports/container-paths.js";
import { fresh } from "../containers/fresh.js";
import type { WarmCheck } from "../containers/pool.js";
import { ownTests } from "./added-tests.js";
import { type LintRun, lintWorkspace, olderFindings } from "./lint.js";
import { rewrittenFiles } from "./same.js";
import { runPytest } from "./test-run.js";

type TreeCheck = Pick<LintRun, "rules" | "env" | "signal">;

/** Checks one tree in a container that holds nothing of it yet. */
export async function checkTree(
  check: WarmCheck,
  request: CheckRequest,
  { rules, env, signal }: TreeCheck,
): Promise<CheckReport> {
  const started = awakeMs();
  const { expected, changes, notes, findings } = await judged(check, request, signal);
  const report = { judgeFiles: changes, findings, integrityNotes: notes, ...nothingRan };
  if (changes.some(({ allowed }) => !allowed) || findings.some(forges)) return { ...report, ms: since(started) };

  await fresh(check, request.tree, signal);
  const left = () => Math.max(1, request.timeoutMs - since(started));
  const linted = await lintTree(check, request, { rules, timeoutMs: left(), env, signal });
  const run = { files: request.staged.map(({ path }) => path), staged: request.staged, expected };
  const pytest = await runPytest(check.zygote, { ...run, data: request.opened, timeoutMs: left(), signal });
  const rewritten = await rewrittenFiles(check, { ...request, by: "pytest", signal });
  const ground = await withKnown(check, request, pytest.report.ground, signal);
  const freshly = (tree: TreeId) => fresh(check, tree, signal);
  const {
    own,
    before,
    killed: later,
    rewritten: byOwn,
  } = await ownTests(check, request, { fresh: freshly, timeoutMs: left, signal });
  const killed = [...pytest.killed, ...later];
  return {
    ...report,
    integrityNotes: [
      ...notes,
      ...(rules.refused === null ? [] : [rules.refused]),
      ...(killed.length > 0 ? [`left running by the tests: ${killed.join("; ")}`] : []),
    ],
    rewritten: [...linted.rewritten, ...rewritten, ...byOwn],
    ruff: linted.ruff,
    pytest: { ...pytest.report, ground },
    own,
    ownBefore: before,
    ms: since(started),
  };
}

const nothingRan = { rewritten: [], ruff: null, pytest: null, own: null, ownBefore: null };

/** Leaves the tree in /workspace, whatever ruff did and wherever it had to look. */
async function lintTree(
  check: WarmCheck,
  { tree, last, allStaged, since: { base } }: CheckRequest,
  run: LintRun,
): Promise<{ readonly ruff: RuffReport; readonly rewritten: readonly RewrittenFile[] }> {
  const report = await lintWorkspace(check, run);
  const rewritten = await rewrittenFiles(check, { tree, last, by: "ruff", signal: run.signal });
  const staged = new Set(allStaged.map(({ path }) => path));
  const found = report.findings.filter(({ path }) => !staged.has(path));
  const older = await olderFindings(check, found, { ...run, base, tree });
  if (rewritten.length > 0 || older.changed.length > 0) await fresh(check, tree, run.signal);
  return { ruff: { ...report, older }, rewritten };
}

/** Asks before the container holds anything of the tree. */
function judged(
  { zygote }: WarmCheck,
  { last, tree, staged, allStaged, taskText, opened, since }: CheckRequest,
  signal: AbortSignal,
): Promise<z.infer<typeof checkRequests.judge.report>> {
  const judging = new Set(staged.map(({ path }) => path));
  const all = allStaged.map((test) => ({ ...test, judging: judging.has(test.path) }));
  const input = { staged: all, text: taskText, opened, accepted: since.taskTexts };
  const payload = { repo: containerPaths.repo, last, tree, base: since.base };
  return zygote.ask(checkRequests.judge, { payload, input }, signal);
}

/** Asks only when there is something to ask about. */
async function withKnown(
  { zygote }: WarmCheck,
  { tree, since }: CheckRequest,
  ground: readonly GroundChange[],
  signal: AbortSignal,
): Promise<readonly GroundChange[]> {
  const places = ground.flatMap(({ where }) => (where === "" ? [] : [where]));
  if (places.length === 0) return ground;
  const payload = { repo: containerPaths.repo, base: since.base, tree };
  const { paths } = await zygote.ask(checkRequests.unchanged, { payload, input: [...new Set(places)] }, signal);
  return ground.map((change) => ({ ...change, known: paths.includes(change.where) }));
}

function since(started: number): number {
  return Math.round(awakeMs() - started);
}
