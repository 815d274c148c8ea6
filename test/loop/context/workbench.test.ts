import { describe, expect, it } from "vitest";
import { say } from "../../../runner/base/prompts.js";
import { HandsLost } from "../../../runner/hands/ports/hands.js";
import type { CommandResult } from "../../../runner/hands/ports/work.js";
import { briefSleepMs, holdUp } from "../../helpers/held-up.js";
import { LoopSession } from "../../helpers/loop-session.js";
import { accept, bash, calls, solve } from "../../helpers/loop-turns.js";

const looking = calls(bash("ls"));
const gone = new HandsLost("work", "the container went away");

const slept = new HandsLost("work", "it was left alone for too long", { asleep: true });

interface Losing {
  readonly tasks?: number;
  readonly loss?: HandsLost;
  readonly meanwhile?: () => void;
}

/** A session whose first `losses` commands lose the container, after `meanwhile`. */
async function losing(losses: number, { tasks = 1, loss = gone, meanwhile = () => {} }: Losing = {}) {
  const session = await LoopSession.open({ tasks });
  const bashed = session.hands.work.bash.bind(session.hands.work);
  let left = losses;
  session.hands.work.bash = async (command: string): Promise<CommandResult> => {
    if (left-- <= 0) return bashed(command);
    meanwhile();
    throw loss;
  };
  return session;
}

/** Records the calls around a case, in their order. */
function ordered(session: LoopSession, losses: HandsLost[] = []): string[] {
  const order: string[] = [];
  const { work, clerk } = session.hands;
  const [start, snapshot] = [work.start.bind(work), clerk.snapshot.bind(clerk)];
  work.quiet = async () => {
    const loss = losses.shift();
    order.push(loss ? "lost" : "seen empty");
    if (loss) throw loss;
  };
  work.start = (...args) => {
    if (order.length > 0) order.push("started");
    return start(...args);
  };
  clerk.snapshot = (...args) => {
    order.push("tree taken");
    return snapshot(...args);
  };
  return order;
}

describe("the work container", () => {
  it("is started anew after a second loss in a task, the worker is told, and the work goes on", async () => {
    const session = await losing(2);
    const run = await session.run({ worker: [looking, looking, looking, solve(1)], evaluator: [accept] });
    expect(run.reason).toBe("all_done");
    expect(run.answers.slice(0, 3)).toEqual([
      say("environment-restarted"),
      say("environment-restarted"),
      expect.stringContaining("ran ls"),
    ]);
    expect(run.of("hands_lost")).toMatchObject([{ during: "bash" }, { during: "bash" }]);
    expect(run.of("hands_restarted")).toHaveLength(2);
    expect(run.of("isolation_receipt")).toHaveLength(3);
    const seed = session.files.loadCheckpoint().base_commit;
    expect(new Set(session.hands.work.begun).size).toBe(1);
    expect(session.hands.work.begun).not.toContain(seed);
    expect(session.hands.work.begun).toHaveLength(3);
  });

  it("is not started again after a third loss in the same task, which ends the task", async () => {
    const session = await losing(3);
    const run = await session.run({ worker: [looking, looking, looking] });
    expect([run.reason, session.hands.work.starts]).toEqual(["hands_lost", 3]);
    expect(run.end.summary.hands_lost).toBe(3);
    expect(run.of("tool_result")).toHaveLength(3);
  });

  it("has its losses counted anew in the next task", async () => {
    const session = await losing(2, { tasks: 2 });
    const worker = [looking, looking, solve(1)];
    let more = 2;
    const again = () => {
      const bashed = session.hands.work.bash;
      session.hands.work.bash = async (...args) => {
        if (more-- > 0) throw gone;
        return bashed(...args);
      };
      return looking;
    };
    const run = await session.run({ worker: [...worker, again, looking, solve(2)], evaluator: [accept, accept] });
    expect([run.reason, run.of("hands_lost").length]).toEqual(["all_done", 4]);
  });

  it("that ended in a sleep before a call gets the call again, and only the log is told", async () => {
    const session = await losing(5, { loss: slept });
    const run = await session.run({ worker: [looking, solve(1)], evaluator: [accept] });
    expect([run.reason, run.end.summary.hands_lost]).toEqual(["all_done", 0]);
    expect(run.answers[0]).toContain("ran ls");
    expect(run.of("hands_lost").map(({ during, asleep }) => [during, asleep])).toEqual(
      Array.from({ length: 5 }, () => ["bash", true]),
    );
    expect(run.of("hands_restarted").map(({ asleep }) => asleep)).toEqual(Array.from({ length: 5 }, () => true));
  });

  it("that ended in a sleep during a command says so to the worker, and does not count as a loss", async () => {
    const session = await losing(1, { loss: slept, meanwhile: () => holdUp(briefSleepMs) });
    const run = await session.run({ worker: [looking, solve(1)], evaluator: [accept] });
    expect([run.reason, run.answers[0]]).toEqual(["all_done", say("environment-restarted")]);
    expect(run.end.summary.hands_lost).toBe(0);
  });

  it("that goes away while no call runs is started again, and does not count as a loss", async () => {
    const session = await LoopSession.open();
    let wipes = 0;
    const begin = session.hands.work.beginTask.bind(session.hands.work);
    session.hands.work.beginTask = async (commit) => {
      wipes += 1;
      if (wipes === 1) throw gone;
      return begin(commit);
    };
    const run = await session.run({ worker: [looking, solve(1)], evaluator: [accept] });
    expect(run.reason).toBe("all_done");
    expect(run.answers[0]).toContain("ran ls");
    expect(run.of("hands_lost")).toMatchObject([{ during: null }]);
    expect(session.hands.work.begun).toHaveLength(1);
  });

  it("is seen to be empty before the tree of a case is taken", async () => {
    const session = await LoopSession.open();
    const order = ordered(session);
    const run = await session.run({ worker: [solve(1)], evaluator: [accept] });
    expect([run.reason, order]).toEqual(["all_done", ["seen empty", "tree taken"]]);
  });

  it("that is not seen to be empty is made anew before the tree of a case is taken", async () => {
    const session = await LoopSession.open();
    const order = ordered(session, [gone]);
    const run = await session.run({ worker: [solve(1)], evaluator: [accept] });
    expect([run.reason, order]).toEqual(["all_done", ["lost", "started", "tree taken"]]);
    expect(run.of("hands_lost")).toMatchObject([{ during: "submit_case", detail: "the container went away" }]);
  });

  it("is wiped to a commit only once the clerk holds its objects", async () => {
    const session = await LoopSession.open();
    const open = session.hands.clerk.open.bind(session.hands.clerk);
    const begin = session.hands.work.beginTask.bind(session.hands.work);
    const order: string[] = [];
    session.hands.clerk.open = async (commit) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push("opened");
      return open(commit);
    };
    session.hands.work.beginTask = async (commit) => {
      order.push("wiped");
      return begin(commit);
    };
    await session.run({ worker: [solve(1)], evaluator: [accept] });
    expect(order).toEqual(["opened", "wiped"]);
  });

  it("takes no call before its isolation is proved", async () => {
    const session = await LoopSession.open();
    const run = await session.run({ worker: [looking, solve(1)], evaluator: [accept] });
    expect(run.types.indexOf("isolation_receipt")).toBeLessThan(run.types.indexOf("tool_result"));
  });
});
