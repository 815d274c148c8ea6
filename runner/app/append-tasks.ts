import { Interrupted, TilthError } from "../base/errors.js";
import { commitId, type SessionId } from "../base/ids.js";
import { SeedTests } from "../loop/context/seed-tests.js";
import { highestTaskNumber } from "../seed/numbering.js";
import { highestTestNumber } from "../seed/seed.js";
import { SessionLock } from "../session/lock/lock.js";
import type { SessionFiles } from "../session/session-files.js";
import type { Checkpoint } from "../session/state/checkpoint.js";
import type { Prd } from "../session/state/prd.js";
import { listTests } from "../source/git/list-paths.js";
import { shellWord } from "../source/git/shell-word.js";
import type { Source } from "../source/preflight/preflight.js";
import { branchMoved, branchTip } from "../source/refs/branch-ref.js";
import { refuseMovedSource } from "../source/worktree/moved-source.js";
import { findBasis, remarksOn, remarksOnReading } from "./opening/basis.js";
import { mendWorktree } from "./opening/mend-worktree.js";
import { lossAsInfra, readingAndHands, undoing } from "./opening/session-hands.js";
import { type PrepEnd, whyFailed } from "./prep-feature.js";
import { type InterviewOrder, interviewOver } from "./seeding/interview-over.js";
import { recordAppended, summariseUse } from "./seeding/record-seed.js";
import { settleAppend } from "./seeding/settle-append.js";

export interface AppendOrder extends InterviewOrder {
  readonly files: SessionFiles;
}

/** Adds tasks to a prepared session. If anything goes wrong, the session stays prepared as it was. */
export async function appendTasks(order: AppendOrder): Promise<PrepEnd> {
  const { files } = order;
  using lock = SessionLock.acquire(files.paths.lock);
  const { source: place } = preparedCheckpoint(files);
  refuseMovedSource(files.id, place);
  const basis = await findBasis({ ...order, source: place });
  for (const remark of [...remarksOn(basis.source), ...remarksOnReading(basis.source)]) order.say(remark);
  const brief = await order.brief(order.signal);
  if (brief === null) return { kind: "declined" };
  mendWorktree(files, basis.source, order.say);
  const signal = AbortSignal.any([order.signal, lock.lost]);
  const parts = readingAndHands(files, basis, signal);
  await using hands = parts.hands;
  await using reading = parts.reading;
  const settling = { files, source: basis.source, hands };
  await settleAppend({ ...settling, signal });
  const { losses } = parts;
  const subject = { basis, files, hands, reading, losses, ...(await standing(files, basis.source, signal)) };
  try {
    const end = await interviewOver({ ...order, brief, signal }, subject, {
      again: addAgain(basis.source.workTree, files.id),
      makeWay: ({ tests }) => files.saveSeed(new Map(tests.map((test) => [test.name, test.source]))),
      record: (taken, log) => recordAppended({ files, plan: subject.plan, ...taken }, log),
    });
    files.updateCheckpoint(await summariseUse(files));
    const tasks = files.loadPrd().length - subject.plan.length;
    if (end.kind === "prepared") return { kind: "prepared", id: files.id, tasks };
    return { kind: "failed", id: files.id, why: whyFailed(end) };
  } catch (error) {
    if (lock.lost.aborted) throw lock.lost.reason;
    await undoing((limit) => settleAppend({ ...settling, signal: limit }))
      .then(async () => files.updateCheckpoint(await summariseUse(files)))
      .catch((failure: unknown) => order.say(putOff(failure)));
    if (error instanceof Interrupted || order.signal.aborted)
      order.say(`the interview was interrupted; session ${files.id} has ${tasksNow(files, subject.plan)}`);
    throw lossAsInfra(error);
  }
}

/**
 * Reads the plan and the tips that new tasks build on. TilthError `branch_moved` if the branch is not where it was
 * left.
 */
async function standing(files: SessionFiles, source: Source, signal: AbortSignal) {
  const checkpoint = files.loadCheckpoint();
  const [base, parent] = [commitId(checkpoint.base_commit), commitId(checkpoint.last_commit)];
  const tip = await branchTip(source, files.id, signal);
  if (tip !== parent) throw branchMoved(source, files.id, parent, tip);
  const plan = files.loadPrd();
  new SeedTests(plan, files.loadSeed()).all(plan);
  const inBase = await listTests(source, base, signal);
  return { base, parent, plan, highest: Math.max(highestTestNumber(inBase), highestTaskNumber(plan)) };
}

/** Returns the command that holds the interview again. */
export function addAgain(source: string, id: SessionId): string {
  return `tilth prep-feature ${shellWord(source)} --append ${id}`;
}

function putOff(failure: unknown): string {
  const why = failure instanceof Error ? failure.message : String(failure);
  return `what the interview had begun could not be settled now (${why}); the next run or prep-feature of this session does that`;
}

/** prd.json decides whether the new tasks were added. */
function tasksNow(files: SessionFiles, plan: Prd): string {
  return files.loadPrd().length > plan.length ? "the new tasks" : "only the tasks it had before";
}

function preparedCheckpoint(files: SessionFiles): Checkpoint {
  const checkpoint = files.loadCheckpoint();
  if (checkpoint.status === "prepared") return checkpoint;
  throw new TilthError(
    "usage",
    `session ${files.id} is ${checkpoint.status}; tasks are added to a prepared one only`,
    "list the sessions: tilth sessions",
  );
}
