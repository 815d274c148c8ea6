import { describe, expect, it } from "vitest";
import { say } from "../../runner/base/prompts.js";
import type { ModelRequest } from "../../runner/model/port/model-client.js";
import type { FakeTurn } from "../helpers/fake-model-client.js";
import { type LoopOptions, type LoopRun, LoopSession } from "../helpers/loop-session.js";
import {
  accept,
  bash,
  type Call,
  calls,
  caseOf,
  empty,
  quiet,
  reject,
  solve,
  submit,
  write,
} from "../helpers/loop-turns.js";

/** Plays one task to its end. */
async function play(worker: readonly FakeTurn[], evaluator: readonly FakeTurn[] = [accept], options: LoopOptions = {}) {
  const session = await LoopSession.open(options);
  return { session, run: await session.run({ worker, evaluator }) };
}

const right = write("feature_1.py", "value = 1\n");
/** the calls of a run, each with its answer */
const answered = (run: LoopRun) => run.of("tool_result").map(({ tool, content }) => [tool, content]);
const lastOf = (request: ModelRequest | undefined) => request?.messages.at(-1);
const workerRequests = (run: LoopRun) => run.model.of("worker");

describe("a reply with calls", () => {
  it("has them run in their order, each answered before the next one runs", async () => {
    const { session, run } = await play([calls(bash("one"), bash("two"), bash("three")), solve(1)]);
    expect(session.hands.work.commands).toEqual(["one", "two", "three"]);
    const pairs = run.events.filter(({ type }) => type === "tool_call" || type === "tool_result").slice(0, 6);
    expect(pairs.map(({ type }) => type)).toEqual(Array.from({ length: 3 }, () => ["tool_call", "tool_result"]).flat());
  });

  it("has nothing run after submit_case, not even another submit_case", async () => {
    const { session, run } = await play([calls(right, submit(), bash("touch sneaky"), submit("second"))]);
    expect(run.reason).toBe("all_done");
    expect(session.hands.work.commands).toEqual([]);
    expect(answered(run).slice(1)).toEqual([
      ["submit_case", "Accepted."],
      ["bash", say("after-submit")],
      ["submit_case", say("after-submit")],
    ]);
    expect(run.of("check_run")).toHaveLength(1);
  });

  it("has nothing run after a case that came to nothing either", async () => {
    const { session, run } = await play([calls(["submit_case", {}], bash("late")), solve(1)]);
    expect(session.hands.work.commands).toEqual([]);
    expect(answered(run)[1]).toEqual(["bash", say("after-submit")]);
  });

  it("has a call of an unknown tool answered with the known tools, whatever its name", async () => {
    const { run } = await play([calls(["constructor", {}], ["submit_verdict", {}]), solve(1)]);
    for (const answer of run.answers.slice(0, 2)) expect(answer).toMatch(/no tool .*bash, read_file, .*submit_case/);
  });

  it("has only those calls refused whose arguments are no object", async () => {
    const { session, run } = await play([calls(["bash", "[1]"], ["bash", "7"], bash("fine")), solve(1)]);
    expect(run.answers.slice(0, 3)).toEqual([
      expect.stringContaining("not an array"),
      expect.stringContaining("not a number"),
      expect.stringContaining("ran fine"),
    ]);
    expect(session.hands.work.commands).toEqual(["fine"]);
  });
});

describe("the limit of 64 calls in a reply", () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => bash(`call ${n}`));
  const tooMany = say("too-many-calls", { most: "64" });
  const answersIn = (request: ModelRequest | undefined) =>
    (request?.messages ?? []).flatMap((message) => (message.role === "tool" ? [message.content] : []));

  it("lets 64 calls run, and has each other one answered as not run", async () => {
    const { session, run } = await play([calls(...many(1_501)), solve(1)]);
    expect(session.hands.work.commands).toEqual(Array.from({ length: 64 }, (_, n) => `call ${n}`));
    const answers = answersIn(workerRequests(run)[1]);
    expect([answers.length, answers[63]]).toEqual([1_501, expect.stringContaining("ran call 63")]);
    expect(new Set(answers.slice(64))).toEqual(new Set([tooMany]));
    expect(run.of("calls_not_run")).toMatchObject([{ count: 1_437, why: "too_many", content: tooMany, iter: 1 }]);
    expect(run.reason).toBe("all_done");
  });

  it("lets a reply of exactly 64 calls run whole", async () => {
    const { run } = await play([calls(...many(63), submit()), calls(right, ...many(62), submit())]);
    expect([run.reason, run.of("calls_not_run")]).toEqual(["all_done", []]);
  });

  it("lets no case count that comes after it", async () => {
    const { run } = await play([calls(right, ...many(63), submit()), calls(submit())]);
    expect(run.of("check_run")).toMatchObject([{ iter: 2 }]);
  });

  it("bounds the log of a cut-off reply too, of which nothing is run", async () => {
    const { session, run } = await play([{ ...calls(...many(1_000)), finish: "length" }, solve(1)]);
    expect([session.hands.work.commands, run.of("tool_call").length]).toEqual([[], 64 + 2]);
    expect(new Set(answersIn(workerRequests(run)[1]))).toEqual(new Set([say("cut-off-call")]));
    expect(run.of("calls_not_run")).toMatchObject([{ count: 936, why: "cut_off" }]);
  });
});

describe("a cap of the session that is met between the calls of a reply", () => {
  const minute = 60_000;
  const caps = { maxWallClockMinutes: 10 };
  const slow = async (ms: number) => {
    const session = await LoopSession.open({ caps });
    const { bash: runs } = session.hands.work;
    session.hands.work.bash = async (command) => {
      session.clock.pass(ms);
      return runs.call(session.hands.work, command);
    };
    return session;
  };

  it("ends the run there with the task pending, and the calls after it are answered", async () => {
    const session = await slow(4 * minute);
    const run = await session.run({ worker: [calls(bash("1"), bash("2"), bash("3"), bash("4"), bash("5"))] });
    expect([run.reason, session.hands.work.commands, session.statuses]).toEqual([
      "wall_clock",
      ["1", "2", "3"],
      ["pending"],
    ]);
    expect(run.of("calls_not_run")).toMatchObject([{ count: 2, why: "wall_clock", content: say("session-cap") }]);
    expect(run.end.stop.hint).toContain("TILTH_MAX_WALL_CLOCK_MINUTES");
  });

  it("voids no accept, because nothing after a case is run anyway", async () => {
    const session = await slow(0);
    const late = () => {
      session.clock.pass(12 * minute);
      return accept;
    };
    const run = await session.run({ worker: [calls(right, submit(), bash("after"))], evaluator: [late] });
    expect([run.reason, run.answers.at(-1), run.of("calls_not_run")]).toEqual(["all_done", say("after-submit"), []]);
  });

  it("lets a task finish that met it before, in replies that take no longer than one call may", async () => {
    const session = await slow(12 * minute);
    const finishing = await session.run({ worker: [calls(bash("1")), calls(right, submit())], evaluator: [accept] });
    expect(finishing.reason).toBe("all_done");
    const other = await slow(12 * minute);
    const run = await other.run({ worker: [calls(bash("1")), calls(bash("2"), bash("3"))] });
    expect([run.reason, other.hands.work.commands, other.statuses]).toEqual(["wall_clock", ["1", "2"], ["pending"]]);
  });
});

describe("a case", () => {
  const refused: readonly (readonly [string, unknown, string])[] = [
    ["without a criterion of the task", { ...caseOf(), ac_coverage: [] }, "criterion 1 is not covered"],
    ["with a key of its own", { ...caseOf(), extra: 1 }, 'unknown key "extra"'],
    ["with a blank summary", caseOf(" "), "summary"],
    ["whose arguments are no object", "[]", "not an array"],
  ];
  it.each(refused)("%s is refused by name, without asking the evaluator", async (_, args, named) => {
    const { run } = await play([calls(right, ["submit_case", args]), calls(submit())]);
    expect(run.of("case_parse_error")).toMatchObject([{ error: expect.stringContaining(named) }]);
    expect(run.answers[1]).toContain(named);
    expect([run.of("check_run").length, run.of("evaluator_verdict").length]).toEqual([1, 1]);
  });

  it("that is malformed does not count as a call of the evaluator", async () => {
    const malformed = calls(right, ["submit_case", {}]);
    const { run } = await play([malformed, malformed, calls(submit())], [accept], {
      caps: { maxEvaluatorCallsPerTask: 1 },
    });
    expect(run.reason).toBe("all_done");
  });

  it("on a worktree that gives no tree is told the path and the reason, and nothing is checked", async () => {
    const session = await LoopSession.open();
    session.hands.clerk.problems = [{ path: "vendor/.git", why: "is a nested git repository" }];
    const mended = () => {
      session.hands.clerk.problems = [];
      return calls(submit());
    };
    const run = await session.run({ worker: [solve(1), mended], evaluator: [accept] });
    expect(run.answers[1]).toContain("vendor/.git: is a nested git repository");
    expect([run.reason, run.of("check_run").length]).toEqual(["all_done", 1]);
  });

  it("on the last accepted tree counts as no work, and the evaluator is not asked", async () => {
    const { run } = await play([calls(submit()), solve(1)]);
    expect(run.answers[0]).toBe(say("no-work"));
    expect([run.of("check_run").length, run.of("evaluator_verdict").length]).toEqual([1, 1]);
  });

  it("on a tree that fails a check comes back with the report, and the evaluator is not asked", async () => {
    const { run } = await play([calls(write("feature_2.py", "x = 1\n"), submit()), solve(1)]);
    expect(run.answers[1]).toContain("feature_1 is not in the image");
    expect(run.of("check_run").map(({ passed }) => passed)).toEqual([false, true]);
    expect(run.of("evaluator_verdict")).toHaveLength(1);
  });

  it("that is rejected comes back with all that the evaluator said, and the task goes on", async () => {
    const { run } = await play([solve(1), calls(submit("Again."))], [reject(), accept]);
    for (const words of ["weak_test", "THE-CONCERN", "THE-EVIDENCE", "THE-NEXT-STEP"])
      expect(run.answers[1]).toContain(words);
    expect(run.reason).toBe("all_done");
    expect(run.of("ledger_appended").map(({ entry }) => entry.verdict.verdict)).toEqual(["reject", "accept"]);
  });

  it("that is rejected for want of a readable verdict counts as one evaluator call, and is recorded", async () => {
    const prose = { content: "Looks good to me: accept." };
    const { session, run } = await play([solve(1)], [prose, prose], { caps: { maxEvaluatorCallsPerTask: 1 } });
    expect(run.reason).toBe("evaluator_cap");
    expect(run.of("evaluator_verdict")).toMatchObject([{ parse_failed: true, verdict: { verdict: "reject" } }]);
    expect(session.files.loadLedger("T-001")).toHaveLength(1);
  });

  it("that is rejected at the cap has its answer recorded before the task ends", async () => {
    const { run } = await play([calls(right, submit(), bash("x"))], [reject()], {
      caps: { maxEvaluatorCallsPerTask: 1 },
    });
    expect(answered(run).slice(1)).toEqual([
      ["submit_case", expect.stringContaining("THE-CONCERN")],
      ["bash", say("after-submit")],
    ]);
    expect(run.types.slice(-3)).toEqual(["tool_result", "task_failed", "stop"]);
  });

  it("names files that were left out of its tree, whatever its answer", async () => {
    const session = await LoopSession.open();
    session.hands.clerk.leftOut = ["notes.pyc"];
    const run = await session.run({ worker: [calls(submit()), solve(1)], evaluator: [accept] });
    for (const answer of run.of("tool_result").filter(({ tool }) => tool === "submit_case"))
      expect(answer.content).toContain("notes.pyc");
  });
});

describe("a quiet reply", () => {
  it("is kept, and answered with a nudge", async () => {
    const { run } = await play([quiet, solve(1)]);
    expect(lastOf(workerRequests(run)[1])).toEqual({ role: "user", content: say("quiet") });
    expect(workerRequests(run)[1]?.messages.at(-2)).toMatchObject({ role: "assistant", content: quiet.content });
  });

  it("counts as quiet too when there is nothing but reasoning in it", async () => {
    const { run } = await play([{ reasoning: "hm" }, quiet, quiet]);
    expect(run.reason).toBe("no_case");
  });

  it.each([
    ["a tool call in between", [quiet, quiet, calls(bash("ls")), quiet, quiet, solve(1)], "all_done"],
    ["a cut-off reply in between", [quiet, quiet, { finish: "length" }, quiet], "no_case"],
    ["an empty reply in between", [quiet, quiet, empty, quiet], "no_case"],
    ["only empty ones more", [quiet, empty, quiet, empty, solve(1)], "all_done"],
  ] as const)("is counted rightly with %s", async (_, worker, reason) => {
    expect((await play(worker)).run.reason).toBe(reason);
  });
});

describe("a reply with nothing in it", () => {
  it("is not kept, and is asked for again after a wait that grows", async () => {
    const { session, run } = await play([empty, empty, solve(1)]);
    const [first, second, third] = workerRequests(run);
    expect([second, third]).toEqual([first, first]);
    expect(session.clock.slept).toEqual([500, 1000]);
    expect(run.of("empty_model_response").map(({ in_a_row }) => in_a_row)).toEqual([1, 2]);
  });

  it.each([
    ["a tool call in between", [empty, empty, calls(bash("ls")), empty, empty, solve(1)], "all_done"],
    ["quiet ones in between", [empty, quiet, empty, quiet, empty], "empty_responses"],
  ] as const)("is counted rightly with %s", async (_, worker, reason) => {
    expect((await play(worker)).run.reason).toBe(reason);
  });
});

describe("a reply that was cut off", () => {
  const torn = '{"command": "rm -rf';
  const rows: readonly (readonly [string, readonly Call[], string | undefined])[] = [
    ["at the length limit, its arguments whole", [bash("one"), submit()], "length"],
    ["in the arguments of its last call", [bash("one"), ["bash", torn]], undefined],
    ["in the arguments of submit_case", [bash("one"), ["submit_case", '{"summary": "do']], undefined],
    ["with arguments that are no text of JSON at all", [bash("one"), ["bash", ""]], undefined],
  ];
  it.each(rows)("%s has none of its calls run, and each of them answered as cut off", async (_, made, finish) => {
    const { session, run } = await play([
      calls(right),
      { calls: made, ...(finish ? { finish } : {}) },
      calls(submit()),
    ]);
    expect(run.reason).toBe("all_done");
    expect(session.hands.work.commands).toEqual([]);
    expect(run.answers.slice(1, 3)).toEqual([say("cut-off-call"), say("cut-off-call")]);
    expect(run.of("case_parse_error")).toEqual([]);
  });

  it("with no call in it is told so, and counts as neither quiet nor empty", async () => {
    const cut = { content: "I will now", finish: "length" };
    const { run } = await play([cut, cut, cut, { finish: "length" }, solve(1)]);
    expect(run.reason).toBe("all_done");
    expect(lastOf(workerRequests(run)[1])).toEqual({ role: "user", content: say("cut-off") });
  });

  it("counts as one of the replies a task may have", async () => {
    const cut = { content: "…", finish: "length" };
    const { run } = await play([cut, cut, solve(1)], [], { caps: { maxIterationsPerTask: 2 } });
    expect(run.reason).toBe("iter_cap");
  });
});

describe("the conversation", () => {
  it("has at most 32 replies", async () => {
    const { run } = await play(Array.from({ length: 33 }, () => calls(bash("ls"))));
    expect([run.reason, workerRequests(run).length]).toEqual(["iter_cap", 32]);
    expect(run.of("model_call").map(({ iter }) => iter)).toEqual(Array.from({ length: 32 }, (_, at) => at + 1));
  });

  it("accepts a case in its last reply", async () => {
    const { run } = await play([calls(bash("ls")), solve(1)], [accept], { caps: { maxIterationsPerTask: 2 } });
    expect(run.reason).toBe("all_done");
  });

  it("starts anew with each task", async () => {
    const session = await LoopSession.open({ tasks: 2 });
    const run = await session.run({
      worker: [calls(bash("OLD-NEWS")), solve(1), solve(2)],
      evaluator: [accept, accept],
    });
    const last = workerRequests(run).at(-1);
    expect(last?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(JSON.stringify(last)).not.toContain("OLD-NEWS");
    expect(session.hands.work.begun).toHaveLength(2);
    expect(session.hands.work.begun[1]).toBe(session.branch.moves[0]?.to);
  });

  it("has every word said to the worker in the log", async () => {
    const { run } = await play([quiet, { content: "…", finish: "length" }, calls(bash("ls")), solve(1)]);
    const logged = [...run.of("prompt_assembled").map(({ content }) => content), ...run.answers].join("\n");
    const said =
      workerRequests(run)
        .at(-1)
        ?.messages.filter(({ role }) => role !== "assistant") ?? [];
    for (const { content } of said) expect(logged).toContain(content ?? "");
  });
});
