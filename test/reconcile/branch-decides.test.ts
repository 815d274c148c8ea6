import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LogSoFar } from "../../runner/app/running/log-so-far.js";
import type { RunEnd } from "../../runner/app/running/session-run.js";
import type { Past } from "../../runner/reconcile/past.js";
import { settledCommit } from "../../runner/reconcile/settled.js";
import type { EventType, Payload, TilthEvent } from "../../runner/session/log/events.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import type { Prd } from "../../runner/session/state/prd.js";
import { endedOf } from "../helpers/crash-points.js";
import { GitRepo, never } from "../helpers/git-repo.js";
import { planted } from "../helpers/numbered-seed.js";
import { eventsOf, type Plugged, workToTheEnd } from "../helpers/plug.js";
import { span } from "../helpers/recorded-events.js";

interface Staged extends Plugged, Disposable {
  readonly repo: GitRepo;
}

async function staged(): Promise<Staged> {
  const repo = GitRepo.withCommit({ "README.md": "# x\n" });
  const { source, files } = await planted(repo, { tasks: 2 });
  const dispose = () => repo[Symbol.dispose]();
  return { repo, source, folder: repo.root, files, kinds: ["accepted", "accepted"], [Symbol.dispose]: dispose };
}

/** The earlier way: it believes whatever prd.json says. */
const naivelyAllDone = (prd: Prd) => !prd.some(({ status }) => status !== "done");

const saysAllDone = (files: SessionFiles) =>
  files.savePrd(files.loadPrd().map((task) => ({ ...task, status: "done" })));

const started = (files: SessionFiles) =>
  eventsOf(files).flatMap(({ type, payload }) =>
    type === "session_start" && payload.phase === "run" ? [payload as Payload<"session_start">] : [],
  );

/** The end of a whole session: the seed, and a commit for each task. */
const whole = { status: "all_done", statuses: ["done", "done"], commits: 3, differs: [] };

test("a plan that falsely says done does not end the first run; both tasks are worked and committed", async () => {
  using plugged = await staged();
  const { repo, files } = plugged;
  saysAllDone(files);
  expect(naivelyAllDone(files.loadPrd())).toBe(true);
  expect((await workToTheEnd(plugged)).stop.reason).toBe("all_done");
  expect(await endedOf(repo, files)).toMatchObject(whole);
  const reconciled = ["T-001 is pending in prd.json", "T-002 is pending in prd.json"];
  expect(started(files)).toMatchObject([{ reconciled }]);
});

test("a plan that falsely says done in the middle of a run ends nothing either", async () => {
  using plugged = await staged();
  await workToTheEnd(plugged, ({ type }) => {
    if (type === "context_reset") saysAllDone(plugged.files);
  });
  expect(await endedOf(plugged.repo, plugged.files)).toMatchObject({ ...whole, commits: 3 });
});

const absent = { ...span, task_id: "T-003", sha: "b".repeat(40), tree: "a".repeat(40) };

/** Gives the past of a session that came to its end, with a third task that the log alone calls done. */
async function pastWith(files: SessionFiles, ...commits: readonly Payload<"commit">[]): Promise<Past> {
  const { past } = await LogSoFar.read(files.paths.events);
  const last = eventsOf(files).findLast(({ type }) => type === "commit");
  for (const payload of commits) add(past, "commit", payload);
  // the branch points to the last commit that the log tells of
  if (last) past.add(last);
  add(past, "task_done", { ...span, task_id: "T-003", sha: "b".repeat(40) });
  return past;
}

function add(past: Past, type: EventType, payload: object): void {
  past.add({ v: 1, seq: 0, ts: "2030-01-01T00:00:00.000Z", type, payload } as TilthEvent);
}

const heldAgainstBranch = ({ source, files }: Plugged, past: Past) =>
  settledCommit(past, { source, id: files.id, base: source.head }, never);

describe("a session at its end", () => {
  let ended: Staged;
  let end: RunEnd;
  beforeAll(async () => {
    ended = await staged();
    end = await workToTheEnd(ended);
  });
  afterAll(() => ended?.[Symbol.dispose]());

  test("needed nothing put right when nobody touched its plan", async () => {
    expect(end.stop.reason).toBe("all_done");
    expect(await endedOf(ended.repo, ended.files)).toMatchObject(whole);
    expect(started(ended.files).map((event) => "reconciled" in event)).toEqual([false]);
  });

  test("has no task done that its log calls done without a commit, or with one that is not on the branch", async () => {
    const told = await pastWith(ended.files);
    expect(told.outcomes.at(-1)).toEqual({ taskId: "T-003", how: "done" });
    expect(told.statusOf("T-003")).toBe("pending");
    add(told, "commit", absent);
    expect(told.statusOf("T-003")).toBe("done");

    const past = await pastWith(ended.files, absent);
    await heldAgainstBranch(ended, past);
    expect(["T-001", "T-002", "T-003"].map((id) => past.statusOf(id))).toEqual(["done", "done", "pending"]);
  });

  test("does not go by its branch for what was done once somebody moved it", async () => {
    const past = await pastWith(ended.files);
    const ref = `refs/heads/session/${ended.files.id}`;
    const tip = ended.repo.git("rev-parse", ref).trim();
    ended.repo.git("update-ref", ref, ended.source.head);
    await heldAgainstBranch(ended, past).finally(() => ended.repo.git("update-ref", ref, tip));
    expect(past.statusOf("T-001")).toBe("done");
  });
});
