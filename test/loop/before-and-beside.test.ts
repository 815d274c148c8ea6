import { describe, expect, it } from "vitest";
import { say } from "../../runner/base/prompts.js";
import { HandsLost } from "../../runner/hands/ports/hands.js";
import { LoopSession } from "../helpers/loop-session.js";
import { accept, calls, reject, solve, submit, write } from "../helpers/loop-turns.js";

const again = calls(submit());
const present = { "feature_1.py": "value = 1\n" };

describe("a task's tests before the work", () => {
  it("are run on the last accepted tree, and recorded", async () => {
    const session = await LoopSession.open({ tasks: 2 });
    const run = await session.run({ worker: [solve(1), solve(2)], evaluator: [accept, accept] });
    const [first, second] = run.of("red_check");
    expect(first).toMatchObject({ at: "task", task_id: "T-001", iter: 0 });
    expect(Object.keys(second?.tests ?? {})).toEqual(["tests/test_t002_feature.py::test_value"]);
    expect([second?.tree]).toEqual(
      run
        .of("commit")
        .slice(0, 1)
        .map(({ tree }) => tree),
    );
    expect(run.of("seed_test_not_red")).toEqual([]);
  });

  it("are reported to the evaluator when they pass already, and an empty diff may then be accepted", async () => {
    const session = await LoopSession.open({ files: present });
    const run = await session.run({ worker: [again], evaluator: [accept] });
    expect(run.reason).toBe("all_done");
    expect(run.of("seed_test_not_red")).toMatchObject([{ tests: ["tests/test_t001_feature.py::test_value"] }]);
    expect(run.model.of("evaluator")[0]?.messages.at(-1)?.content).toContain("already passed");
    const [commit] = run.of("commit");
    expect(commit?.tree).toBe(run.of("red_check")[0]?.tree);
  });

  it("rule out an empty diff when they failed", async () => {
    const session = await LoopSession.open();
    const run = await session.run({ worker: [again, solve(1)], evaluator: [accept] });
    expect(run.answers[0]).toBe(say("no-work"));
    expect(run.model.of("evaluator")).toHaveLength(1);
  });

  it("stop the session with the task pending when their container goes away", async () => {
    const session = await LoopSession.open();
    session.hands.checks.red = async () => {
      throw new HandsLost("check", "killed");
    };
    const run = await session.run({ worker: [solve(1)] });
    expect([run.reason, session.statuses]).toEqual(["infra", ["pending"]]);
  });
});

describe("a verdict", () => {
  it("of accept counts once the counter-check of its tree has passed, which is recorded after it", async () => {
    const session = await LoopSession.open();
    const run = await session.run({ worker: [solve(1)], evaluator: [accept] });
    const types = run.events.map(({ type }) => type);
    expect(types.indexOf("counter_check")).toBeGreaterThan(types.indexOf("evaluator_verdict"));
    expect(types.indexOf("counter_check")).toBeLessThan(types.indexOf("commit_prepared"));
    expect(run.of("counter_check")).toMatchObject([{ passed: true, tree: run.of("commit")[0]?.tree ?? "none" }]);
  });

  it("of accept is void when a test passes with its assertion made false, and the tree is not run again", async () => {
    const session = await LoopSession.open();
    const { checks } = session.hands;
    const site = "tests/test_t001_feature.py:5:4";
    checks.counter = async () => ({
      reached: [site],
      caught: [{ site, tests: ["x"], why: null }],
      leftOut: [],
      failedAgain: null,
      ms: 1,
    });
    const cheat = solve(1);
    const run = await session.run({ worker: [cheat, again, { content: "" }], evaluator: [accept] });
    expect(run.of("counter_check")).toMatchObject([{ passed: false }]);
    expect(run.of("commit")).toEqual([]);
    expect(run.answers[1]).toContain("tests/test_t001_feature.py:5: x");
    expect(run.of("check_run").map(({ passed }) => passed)).toEqual([true, false]);
    expect([checks.requests.length, run.model.of("evaluator").length]).toEqual([1, 1]);
  });

  it("of reject ends the counter-check at once", async () => {
    const session = await LoopSession.open();
    const { checks } = session.hands;
    const honest = checks.counter.bind(checks);
    let stopped = 0;
    checks.counter = async (request, signal) => {
      if (stopped > 0) return honest(request, signal);
      await new Promise((_, stop) => signal.addEventListener("abort", () => stop(new Error(`${++stopped}`))));
      throw new Error("never");
    };
    const run = await session.run({ worker: [solve(1), again], evaluator: [reject(), accept] });
    expect([run.reason, stopped, run.of("counter_check").length]).toEqual(["all_done", 1, 1]);
  });
});

describe("a change too large to be shown whole", () => {
  it("goes back with what makes it large, and the evaluator is not asked", async () => {
    const session = await LoopSession.open();
    const large = calls(write("big.txt", `${"x".repeat(12 * 1024)}\n`.repeat(9)), ...(solve(1).calls ?? []));
    const run = await session.run({ worker: [large, calls(write("big.txt", "x"), submit())], evaluator: [accept] });
    expect(run.answers[2]).toMatch(/too large to review(.|\n)*big\.txt: 9 lines/);
    expect(run.model.of("evaluator")).toHaveLength(1);
    expect(run.reason).toBe("all_done");
  });
});
