import { TilthError } from "../../../base/errors.js";
import type { CommitId, TreeId } from "../../../base/ids.js";
import { lazily } from "../../../base/lazily.js";
import { judgementOf } from "../../../checks/judgement.js";
import { namedIn } from "../../../environment/environment-key.js";
import { againAfterSleep } from "../../../hands/ports/after-sleep.js";
import type { CheckRequest } from "../../../hands/ports/checks/checks.js";
import { type Hands, HandsLost } from "../../../hands/ports/hands.js";
import type { SeedTests } from "../../../loop/context/seed-tests.js";
import { checkRequestFor } from "../../../loop/judging/check-request.js";
import type { Prd, Task } from "../../../session/state/prd.js";
import type { Settings } from "../../../settings/settings.js";
import { packCommits } from "../../../source/git/base-pack.js";
import type { Source } from "../../../source/preflight/preflight.js";
import type { Acceptance } from "../log/acceptances.js";
import type { Findings } from "../log/findings.js";
import { type LoggedEvent, lineOfLog } from "../log/recorded-log.js";
import { counterAgain } from "./counter-again.js";
import { type AgainIn, type EnvironmentsOnRecord, filesOfTree, useAgain } from "./environments-again.js";
import { holdFilesInForce } from "./files-in-force-again.js";
import { outcomeOf } from "./outcomes.js";
import type { OpenRecheckHands } from "./recheck-hands.js";
import { nothingKnown, redAgain } from "./red-again.js";
import { suiteAgain } from "./suite-again.js";

/** One accepted task with everything its check depended on. */
export interface Recheck {
  readonly acceptance: Acceptance & { readonly check: LoggedEvent<"check_run"> };
  readonly task: Task;
  /** the plan as it was when the case was presented */
  readonly prd: Prd;
  readonly seedTests: SeedTests;
  readonly last: TreeId;
  readonly tree: TreeId;
}

export interface RecheckOrder {
  readonly settings: Settings;
  readonly source: Source;
  readonly base: CommitId;
  /** commits with the trees of the checks: the first is on the base, each other one on the one before it */
  readonly commits: readonly CommitId[];
  readonly openHands: OpenRecheckHands;
  readonly say: (line: string) => void;
  readonly environments: EnvironmentsOnRecord;
  readonly findings: Findings;
  readonly signal: AbortSignal;
}

/** Runs recorded checks again, on the recorded image if it is still there, and compares the results. */
export async function checkAgain(rechecks: readonly Recheck[], order: RecheckOrder): Promise<void> {
  const imageOf = ({ acceptance }: Recheck) => acceptance.check.payload.image;
  for (const image of new Set(rechecks.map(imageOf))) {
    await using recheckHands = await order.openHands(image, order);
    const { hands, otherImage } = recheckHands;
    if (otherImage !== null) order.findings.remarks.push(otherImage);
    const isolated = new Set<string>();
    hands.tellReceipts((role, receipt) => void (receipt.passed && isolated.add(role)));
    hands.checks.prepare();
    if (!(await fill(hands, order))) return;
    const { base, signal } = order;
    const baseTree = lazily(() => hands.clerk.treeOf(base, signal));
    const own = rechecks.filter((recheck) => imageOf(recheck) === image);
    for (const [at, recheck] of own.entries()) {
      if (at > 0) hands.checks.prepare();
      order.say(`checking ${recheck.task.id} again (${rechecks.indexOf(recheck) + 1} of ${rechecks.length})`);
      await checkOneAgain(recheck, { ...order, recheckHands, hands, clerk: hands.clerk, baseTree });
    }
    const names = own.map(({ task }) => task.id).join(", ");
    order.findings.compared.push(`the isolation of the ${[...isolated].join(" and ")} containers, from inside each`);
    order.findings.compared.push(`the checks of ${names}, run again on ${hands.image.id}: every outcome`);
  }
}

/** Returns false if the source lacks some of the objects or has damaged ones; that has been reported then. */
async function fill({ clerk }: Hands, { source, base, commits, findings, signal }: RecheckOrder): Promise<boolean> {
  const tip = commits.at(-1) ?? base;
  await clerk.open(base, signal);
  let packFailure: unknown = null;
  try {
    await againAfterSleep(async () => {
      const pack = new WatchedPack(packCommits(source, [base, ...commits], signal));
      await clerk.takePack(pack, tip, signal).finally(() => {
        packFailure = pack.failure;
      });
    });
    return true;
  } catch (error) {
    const cause = packFailure ?? error;
    if (!(cause instanceof TilthError) || (packFailure === null && cause.code !== "usage")) throw error;
    const expected = "all that the session's commits hold, whole";
    findings.differ({ what: "objects of the commits", where: source.workTree, expected, seen: cause.message });
    findings.remarks.push("no check was run again, because objects are missing");
    return false;
  }
}

/** Distinguishes a source that cannot give its objects from hands that cannot take them. */
class WatchedPack implements AsyncIterable<Uint8Array> {
  failure: unknown = null;

  constructor(private readonly pack: AsyncIterable<Uint8Array>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* this.pack;
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

type OneOrder = RecheckOrder &
  AgainIn & {
    readonly hands: Hands;
    readonly baseTree: () => Promise<TreeId>;
  };

async function checkOneAgain(recheck: Recheck, order: OneOrder): Promise<void> {
  const { acceptance, task } = recheck;
  const { findings, hands, environments, signal } = order;
  const tried = environments.triedIn(recheck.tree);
  await useAgain(tried.before, order);
  const request = await requestFor(recheck, order);
  await useAgain(tried.own, order);
  const tree = () => filesOfTree(recheck.tree, order).blobs();
  const named = namedIn(environments.choice);
  await holdFilesInForce(tried, { taskText: request.taskText, tree, named, findings });
  const recorded = outcomeOf(acceptance.check.payload);
  const said = await hands.checks.run(request, signal).then(
    (report) => {
      const judgement = judgementOf(report, request);
      return { report, seen: judgement.seen, outcome: outcomeOf(judgement) };
    },
    (error: unknown) => {
      if (error instanceof HandsLost) return null;
      throw error;
    },
  );
  findings.hold(`check of ${task.id}, run again`, lineOfLog(acceptance.check), {
    expected: recorded,
    seen: said?.outcome ?? "the container of the check died twice",
  });
  if (acceptance.counter !== null && said?.outcome.passed === true)
    await counterAgain(acceptance.counter, request, { ...order, reached: said.report.pytest?.reached ?? {} });
  if (said?.outcome.passed === true) {
    const changes = await hands.clerk.changes(recheck.last, recheck.tree, signal);
    const inForce = tried.before?.key === tried.own?.key;
    await suiteAgain(acceptance, request, { ...order, changes, inForce, seen: said.seen });
  }
}

async function requestFor(
  recheck: Recheck,
  { hands, baseTree, findings, settings, signal }: OneOrder,
): Promise<CheckRequest> {
  const { task, prd, seedTests, last, tree, acceptance } = recheck;
  const timeoutMs = settings.checkTimeoutSeconds * 1000;
  const { red } = acceptance;
  const known =
    red === null
      ? nothingKnown
      : await redAgain({ red, task, prd, seedTests, last, timeoutMs }, { hands, findings, signal });
  return checkRequestFor({
    task,
    prd,
    seedTests,
    base: await baseTree(),
    last,
    tree,
    changes: await hands.clerk.changes(last, tree, signal),
    facts: known.facts,
    red: { ranRed: known.ranRed, opened: acceptance.opened },
    timeoutMs,
  });
}
