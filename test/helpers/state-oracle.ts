import { readFileSync } from "node:fs";
import type { TilthEvent } from "../../runner/session/log/events.js";
import type { MemoryBranch } from "./loop-branch.js";
import type { MemoryHands } from "./loop-hands.js";
import type { LoopSession } from "./loop-session.js";

type Session = LoopSession<MemoryHands, MemoryBranch>;

/** Faults in the files of a session, however it ended: each file must load, and none may claim more than happened. */
export async function faultsOfState(session: Session): Promise<readonly string[]> {
  const { files, branch } = session;
  const events = await session.logged();
  files.loadCheckpoint();
  files.loadSummary();
  files.loadSeedMeta();
  files.loadSeed();
  const prd = files.loadPrd();
  const moved: string[] = branch.moves.map(({ to }) => to);
  const shaOf = (type: "commit" | "commit_prepared" | "task_done", task: string) =>
    events.flatMap((event) => (event.type === type && event.payload.task_id === task ? [event.payload.sha] : []));
  const prepared = prd.flatMap(({ id }) => shaOf("commit_prepared", id));
  return [
    ...(branch.moves.at(-1)?.to === undefined || branch.moves.at(-1)?.to === branch.at
      ? []
      : ["the branch lost a commit"]),
    ...moved.filter((sha) => !prepared.includes(sha)).map((sha) => `${sha} is on the branch and was never prepared`),
    ...prd.flatMap(({ id, status }) => {
      const [committed] = shaOf("commit", id);
      files.loadLedger(id);
      return [
        ...(committed !== undefined && !moved.includes(committed)
          ? [`${id} has a commit that the branch has not`]
          : []),
        ...(status === "done" && shaOf("task_done", id).length !== 1
          ? [`${id} is done and the log does not know`]
          : []),
        ...(status === "failed" && !hasFailed(events, id) ? [`${id} failed and the log does not know`] : []),
      ];
    }),
    ...torn(files.paths.progress),
    ...torn(files.paths.learnings),
  ];
}

function hasFailed(events: readonly TilthEvent[], task: string): boolean {
  return events.some(({ type, payload }) => type === "task_failed" && payload.task_id === task);
}

function torn(path: string): string[] {
  try {
    const text = readFileSync(path, "utf8");
    return text === "" || text.endsWith("\n") ? [] : [`${path} ends in the middle of a line`];
  } catch {
    return [];
  }
}
