import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Interrupted, TilthError } from "../../runner/base/errors.js";
import { type FileIo, nodeIo } from "../../runner/disk/file-io.js";
import { ContextFull } from "../../runner/model/port/model-client.js";
import { readEvents } from "../../runner/session/log/event-reader.js";
import type { EventType, TilthEvent } from "../../runner/session/log/events.js";
import type { FakeTurn } from "../helpers/fake-model-client.js";
import { faultsOfLog } from "../helpers/loop-oracle.js";
import { LoopSession } from "../helpers/loop-session.js";
import { accept, bash, calls, learned, learnedNothing, reject, solve, submit, write } from "../helpers/loop-turns.js";

type Arranged = Awaited<ReturnType<typeof LoopSession.open>>;

const full = () => new TilthError("infra", "no space is left on the disk (ENOSPC)", "free some space");
const fail = () => {
  throw full();
};
const failLater = async () => fail();
const accepted = { worker: [solve(1)], evaluator: [accept], self_improve: [learned("Values are numbers.")] };

async function logOf(session: LoopSession): Promise<TilthEvent[]> {
  const events: TilthEvent[] = [];
  for await (const event of readEvents(session.files.paths.events)) events.push(event);
  return events;
}

/** A disk that is full for lines of one type of event. */
function fullFor(type: EventType): FileIo {
  const enospc = Object.assign(new Error("write"), { code: "ENOSPC", syscall: "write" });
  return {
    ...nodeIo,
    write: (fd, bytes, position) => {
      if (Buffer.from(bytes).includes(`"type":"${type}"`)) throw enospc;
      return nodeIo.write(fd, bytes, position);
    },
  };
}

describe("an accepted case", () => {
  it("is recorded, learned from, committed and only then done, in this order", async () => {
    const session = await LoopSession.open();
    const run = await session.run(accepted);
    const steps = ["evaluator_verdict", "ledger_appended", "proposed_learnings"];
    steps.push("commit_prepared", "commit", "task_done", "stop");
    expect(run.types.filter((type) => steps.includes(type))).toEqual(steps);
    expect(session.files.loadCheckpoint().last_commit).toBe(session.branch.at);
    expect(session.branch.shown.at(-1)).toBe(session.branch.at);
    expect(session.text("learnings")).toBe("- T-001: Values are numbers.\n");
  });

  it("has one tree from its check to its commit, whatever becomes of the worktree meanwhile", async () => {
    const session = await LoopSession.open();
    const tampering = () => {
      session.hands.worktree.set("feature_1.py", "EVIL\n");
      return accept;
    };
    const run = await session.run({ ...accepted, evaluator: [tampering] });
    const [tree] = run.of("check_run").map((check) => check.tree);
    expect(run.of("evaluator_verdict").map((verdict) => verdict.tree)).toEqual([tree]);
    expect(run.of("commit").map((commit) => commit.tree)).toEqual([tree]);
    const committed = session.hands.clerk.commits.get(session.branch.at);
    expect(committed?.tree).toBe(tree);
    if (committed) expect(session.hands.clerk.filesOf(committed.tree).get("feature_1.py")).toBe("value = 1\n");
  });

  it("moves the branch only once commit_prepared is on disk", async () => {
    const session = await LoopSession.open();
    const seen: boolean[] = [];
    const move = session.branch.move.bind(session.branch);
    session.branch.move = async (step) => {
      const log = readFileSync(session.files.paths.events, "utf8");
      seen.push(log.includes("commit_prepared") && log.includes(step.to));
      return move(step);
    };
    await session.run(accepted);
    expect(seen).toEqual([true]);
  });

  it("commits the tree of its last round when an earlier one was rejected", async () => {
    const session = await LoopSession.open();
    const better = calls(write("feature_1.py", "value = 1  # better\n"), submit("Better."));
    const run = await session.run({ worker: [solve(1), better], evaluator: [reject(), accept] });
    const trees = run.of("evaluator_verdict").map((verdict) => verdict.tree);
    expect(new Set(trees).size).toBe(2);
    expect(run.of("commit").map((commit) => commit.tree)).toEqual([trees[1]]);
    expect(session.hands.clerk.commits.get(session.branch.at)?.message).toContain("Better.");
  });
});

/** The steps from a verdict to a done task, each made to fail. */
const faults: readonly (readonly [step: string, arrange: (session: Arranged) => unknown, moved: boolean])[] = [
  ["the ledger", ({ files }) => Object.assign(files, { appendLedger: fail }), false],
  ["the learnings", ({ files }) => Object.assign(files, { appendLearning: fail }), false],
  ["the commit object", ({ hands }) => Object.assign(hands.clerk, { commit: failLater }), false],
  ["the pack", ({ hands }) => Object.assign(hands.clerk, { pack: failingPack }), false],
  ["the import", ({ branch }) => Object.assign(branch, { take: failLater }), false],
  ["the ref's move", ({ branch }) => Object.assign(branch, { move: failLater }), false],
  ["the ref's move, once made", failAfterMove, true],
  ["prd.json", ({ files }) => Object.assign(files, { setTaskStatus: fail }), true],
  ["progress.txt", ({ files }) => Object.assign(files, { appendProgress: fail }), true],
  ["the index of the worktree", failToShowCommit, true],
];

// biome-ignore lint/correctness/useYield: it fails before there is anything to give
async function* failingPack(): AsyncGenerator<Uint8Array> {
  fail();
}

function failToShowCommit({ branch }: Arranged): void {
  branch.show = async () => {
    if (branch.moves.length > 0) fail();
  };
}

function failAfterMove({ branch }: Arranged): void {
  const move = branch.move.bind(branch);
  branch.move = async (step) => {
    await move(step);
    fail();
  };
}

describe("a fault on the way to a commit", () => {
  it.each(faults)(
    "at %s stops the run as infra, and leaves no task done that is not committed",
    async (_, arrange, moved) => {
      const session = await LoopSession.open({ tasks: 2 });
      arrange(session);
      const run = await session.run(accepted);
      expect(run.end.stop).toMatchObject({ reason: "infra", hint: "free some space" });
      expect(session.branch.moves).toHaveLength(moved ? 1 : 0);
      if (!moved) expect(session.statuses).toEqual(["pending", "pending"]);
      if (session.statuses[0] === "done") expect(run.of("commit")).toHaveLength(1);
      expect(session.files.loadCheckpoint().status).toBe("running");
    },
  );

  it("in showing the commit to people leaves the task done", async () => {
    const session = await LoopSession.open();
    failToShowCommit(session);
    await session.run(accepted);
    expect(session.statuses).toEqual(["done"]);
    expect(session.files.progress()).toEqual(["T-001\tdone\tTitle of 1"]);
    expect(session.files.loadCheckpoint().last_commit).toBe(session.branch.at);
  });

  const recorded: readonly (readonly [EventType, moved: boolean])[] = [
    ["check_run", false],
    ["evaluator_verdict", false],
    ["ledger_appended", false],
    ["proposed_learnings", false],
    ["commit_prepared", false],
    ["commit", true],
    ["task_done", true],
    ["stop", true],
  ];
  it.each(recorded)("in writing %s leaves a log that tells no lie", async (type, moved) => {
    const session = await LoopSession.open();
    const end = await session.run(accepted, { io: fullFor(type) }).then(
      (run) => run.reason,
      (error: unknown) => error,
    );
    if (type === "stop") expect(end).toMatchObject({ code: "infra", message: expect.stringContaining("ENOSPC") });
    else expect(end).toBe("infra");
    expect(session.branch.moves).toHaveLength(moved ? 1 : 0);
    expect(session.statuses).toEqual([type === "stop" ? "done" : "pending"]);
    const log = await logOf(session);
    expect(faultsOfLog(log)).toEqual([]);
    expect(log.some((event) => event.type === type)).toBe(false);
    if (moved) expect(log.some((event) => event.type === "commit_prepared")).toBe(true);
  });

  it("that interrupts between verdict and commit leaves the verdict on record and the task pending", async () => {
    const session = await LoopSession.open();
    const stopping = new AbortController();
    const meanwhile = () => {
      stopping.abort(new Interrupted());
      return new Interrupted();
    };
    const run = await session.run({ ...accepted, self_improve: [meanwhile] }, { signal: stopping.signal });
    expect([run.reason, session.statuses, session.branch.moves]).toEqual(["interrupted", ["pending"], []]);
    expect(run.of("evaluator_verdict")).toHaveLength(1);
  });
});

describe("the question for a learning", () => {
  const failing: readonly (readonly [string, FakeTurn, string])[] = [
    ["an endpoint that fails", new TilthError("infra", "502 for ten minutes", ""), "error"],
    ["a provider that refuses", new TilthError("provider_denied", "402", ""), "error"],
    ["a time-out that comes as any error", new Error("ETIMEDOUT"), "error"],
    ["a full context", new ContextFull("too long"), "error"],
    ["garbage", { content: "Sure! Here is my learning:" }, "unparseable"],
    ["half a reply", { content: '{"propose": "yes", "learning": "x"}', finish: "length" }, "unparseable"],
    ["calls of tools it has not", calls(bash("rm -rf /")), "unparseable"],
    ["nothing at all", {}, "unparseable"],
    ["no", learnedNothing, "no_proposal"],
    ["an empty learning", learned("  "), "empty_learning"],
  ];
  it.each(failing)("does not keep a commit from being made, whatever comes of it: %s", async (_, turn, reason) => {
    const session = await LoopSession.open();
    const run = await session.run({ ...accepted, self_improve: [turn] });
    expect([run.reason, session.branch.moves.length]).toEqual(["all_done", 1]);
    expect(run.of("proposed_learnings")).toMatchObject([{ emitted: false, reason }]);
    expect(session.files.countLearnings()).toBe(0);
    expect(session.hands.work.commands).toEqual([]);
  });

  it("is asked once for each task, as a best effort", async () => {
    const session = await LoopSession.open({ tasks: 2 });
    const run = await session.run({ worker: [solve(1), solve(2)], evaluator: [accept, accept] });
    const asked = run.model.requests.filter(({ role }) => role === "self_improve");
    expect(asked.map(({ bestEffort }) => bestEffort)).toEqual([true, true]);
    expect(asked.map(({ request }) => request.tools)).toEqual([[], []]);
  });
});
