import { describe, expect, it } from "vitest";
import { HandsLost } from "../../../runner/hands/ports/hands.js";
import { type CheckFunction, passWhatTheTreeHas } from "../../helpers/fake-checks.js";
import { LoopSession } from "../../helpers/loop-session.js";
import { accept, calls, reject, solve, submit, write } from "../../helpers/loop-turns.js";

const again = calls(submit());
const died: CheckFunction = () => {
  throw new HandsLost("check", "killed");
};

/** Judges once as `first` does, and then as an honest check. */
function once(first: CheckFunction): CheckFunction {
  let judged = false;
  return (request, read) => {
    if (judged) return passWhatTheTreeHas(request, read);
    judged = true;
    return first(request, read);
  };
}

async function overTime(...[request, read]: Parameters<CheckFunction>) {
  const report = await passWhatTheTreeHas(request, read);
  return { ...report, pytest: report.pytest && { ...report.pytest, timedOut: true } };
}

describe("a check", () => {
  it("that dies twice on a tree fails it as check_died, and the same tree may try again", async () => {
    const session = await LoopSession.open({ check: once(died) });
    const run = await session.run({ worker: [solve(1), again], evaluator: [accept] });
    expect(run.reason).toBe("all_done");
    expect(run.of("check_run").map(({ passed, checks }) => [passed, checks.map(({ reason }) => reason)])).toEqual([
      [false, ["check_died"]],
      [true, [null, null]],
    ]);
    expect(run.answers[1]).toContain("check_died");
    expect(session.hands.checks.requests).toHaveLength(2);
  });

  it("that takes too long fails its tree as timeout, and the same tree may try again", async () => {
    const session = await LoopSession.open({ check: once(overTime) });
    const run = await session.run({ worker: [solve(1), again], evaluator: [accept] });
    expect(run.of("check_run").map(({ passed }) => passed)).toEqual([false, true]);
    expect(run.answers[1]).toContain("timeout");
  });

  it("is not run again on a tree that failed, whose report stands and is recorded each time", async () => {
    const session = await LoopSession.open();
    const wrong = calls(write("feature_2.py", "x = 1\n"), submit());
    const run = await session.run({ worker: [wrong, again, again, solve(1)], evaluator: [accept] });
    expect(run.of("check_run").map(({ passed }) => passed)).toEqual([false, false, false, true]);
    expect(run.of("check_run")[1]).toMatchObject({ checks: run.of("check_run")[0]?.checks ?? [] });
    expect(run.answers[2]).toBe(run.answers[1]);
    expect(session.hands.checks.requests).toHaveLength(2);
  });

  it("is run again on a tree that passed and was rejected", async () => {
    const session = await LoopSession.open();
    const run = await session.run({ worker: [solve(1), again], evaluator: [reject(), accept] });
    expect(session.hands.checks.requests).toHaveLength(2);
    expect(run.of("check_run").map(({ passed }) => passed)).toEqual([true, true]);
  });

  it("covers the task's own test and every done task's, and no pending one's", async () => {
    const session = await LoopSession.open({ tasks: 3 });
    await session.run({ worker: [solve(1), solve(2)], evaluator: [accept, accept] }).catch(() => undefined);
    const [first, second] = session.hands.checks.requests;
    expect(first?.staged.map(({ path }) => path)).toEqual(["tests/test_t001_feature.py"]);
    expect(second?.staged.map(({ path }) => path)).toEqual([
      "tests/test_t002_feature.py",
      "tests/test_t001_feature.py",
    ]);
    expect(second?.allStaged).toHaveLength(3);
    expect(second?.last).toBe(await session.hands.clerk.treeOf(session.branch.moves[0]?.to ?? session.branch.base));
  });

  it("covers the test files that the task adds, and gets the task's whole text", async () => {
    const session = await LoopSession.open();
    const adding = calls(write("tests/test_more.py", "def test(): pass\n"), write("tests/data.txt", "x"));
    await session.run({ worker: [adding, solve(1)], evaluator: [accept] });
    expect(session.hands.checks.requests[0]).toMatchObject({
      added: ["tests/test_more.py"],
      taskText: "Title of 1\nDescription of 1.\nCriterion of 1",
      timeoutMs: 180_000,
    });
  });

  it("looks at the worktree only once the container is ready", async () => {
    const session = await LoopSession.open();
    let wiped = false;
    let sound = false;
    session.hands.work.beginTask = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      wiped = true;
    };
    const snapshot = session.hands.clerk.snapshot.bind(session.hands.clerk);
    session.hands.clerk.snapshot = async (last) => {
      sound = wiped;
      return snapshot(last);
    };
    session.hands.worktree.set("feature_1.py", "value = 1\n");
    await session.run({ worker: [again], evaluator: [accept] });
    expect(sound).toBe(true);
  });
});
