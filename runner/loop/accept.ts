import type { CommitId, TreeId } from "../base/ids.js";
import { ownIdentity } from "../base/own-identity.js";
import { selfImprove } from "../dialogue/self-improve.js";
import { againAfterSleep } from "../hands/ports/after-sleep.js";
import { type SelfImproveMemory, selfImprovePrompt } from "../memory/self-improve-prompt.js";
import type { Verdict } from "../session/log/events/verdicts.js";
import type { TaskSpan } from "../session/log/events.js";
import type { Task } from "../session/state/prd.js";
import { commitMessage } from "./commit-message.js";
import type { Accepted, AcceptedCase } from "./context/outcome.js";
import type { RunContext } from "./context/run-context.js";

export interface Acceptance {
  readonly task: Task;
  readonly span: TaskSpan;
  readonly last: Accepted;
  readonly accepted: AcceptedCase;
}

/** Takes an accepted verdict to a done task, in an order that a crash at any point can be resumed from. */
export async function accept(run: RunContext, acceptance: Acceptance): Promise<CommitId> {
  const { accepted } = acceptance;
  await learn(run, acceptance);
  return await commitAccepted(run, { ...acceptance, tree: accepted.tree, summary: accepted.case.summary });
}

export interface Committing extends Omit<Acceptance, "accepted"> {
  readonly tree: TreeId;
  /** summary of the accepted case */
  readonly summary: string;
}

export async function commitAccepted(run: RunContext, committing: Committing): Promise<CommitId> {
  const { task, span } = committing;
  const commit = await makeCommit(run, committing);
  await run.environments.putInForce({ ...span, tree: committing.tree });
  run.events.append("task_done", { ...span, sha: commit });
  run.files.setTaskStatus(task.id, "done");
  run.files.appendProgress(task, "done");
  run.files.updateCheckpoint({ last_commit: commit });
  // this is for people, so it comes after everything that has to be true
  await run.branch.show(commit, run.signal);
  return commit;
}

async function makeCommit(run: RunContext, { task, span, last, tree, summary }: Committing): Promise<CommitId> {
  const { hands, branch, events, signal } = run;
  const commit = await hands.clerk.commit(
    {
      tree,
      parent: last.commit,
      message: commitMessage({ task, summary, session: run.files.id }),
      author: run.author,
      committer: ownIdentity,
      date: run.clock.now(),
    },
    signal,
  );
  events.append("commit_prepared", { ...span, sha: commit, tree });
  await againAfterSleep(() => {
    const pack = hands.clerk.pack(commit, last.commit, signal);
    return branch.take({ commit, tree, parent: last.commit, pack }, signal);
  });
  await branch.move({ from: last.commit, to: commit, why: "task accepted" }, signal);
  events.append("commit", { ...span, sha: commit, tree });
  return commit;
}

function rejectionsByCategory(verdicts: readonly Verdict[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { rejection_category: category } of verdicts)
    if (category !== null) counts[category] = (counts[category] ?? 0) + 1;
  return counts;
}

/** Best effort: only an interruption prevents the commit. */
async function learn(run: RunContext, { task, span, accepted }: Acceptance): Promise<void> {
  const verdicts = run.files
    .loadPrd()
    .flatMap(({ id }) => run.files.loadLedger(id).map(({ verdict }) => ({ taskId: id, verdict })));
  const memory: SelfImproveMemory = {
    task,
    verdicts,
    histogram: rejectionsByCategory(verdicts.map(({ verdict }) => verdict)),
    contextFiles: await run.contextFiles(run.branch.base),
    diff: accepted.diff,
  };
  const prompt = selfImprovePrompt(memory, run.fence.for("self_improve"));
  const learning = await selfImprove(prompt, span, run);
  if (learning.emitted) run.files.appendLearning(task.id, learning.entry);
  run.events.append("proposed_learnings", { ...span, ...learning });
}
