import { describe, expect, it } from "vitest";
import { Interrupted, TilthError } from "../../runner/base/errors.js";
import { say } from "../../runner/base/prompts.js";
import { HandsLost } from "../../runner/hands/ports/hands.js";
import { ContextFull } from "../../runner/model/port/model-client.js";
import type { FakeTurn } from "../helpers/fake-model-client.js";
import { FakeWork } from "../helpers/fake-work.js";
import { InterviewTrial, type TrialOptions } from "../helpers/interview-trial.js";
import { ask, handIn, read, seed, seedArguments } from "../helpers/interview-turns.js";
import { calls, empty } from "../helpers/loop-turns.js";
import { soon } from "../helpers/soon.js";

/** Holds an interview to its end. */
async function held(turns: readonly FakeTurn[], options: TrialOptions = {}) {
  const trial = new InterviewTrial(turns, options);
  return { trial, end: await trial.hold() };
}

describe("an interview", () => {
  it("reads, asks, and ends prepared with what the sink took", async () => {
    const { trial, end } = await held(
      [
        calls(["glob", { pattern: "**/*.py" }]),
        calls(["grep", { pattern: "def " }]),
        calls(read("shop/prices.py")),
        calls(ask("Round up?", ["yes", "no"])),
        calls(ask("And taxes?")),
        handIn,
      ],
      { files: { "shop/prices.py": "def price():\n    return 1\n" }, answers: ["yes", "later\nmaybe"] },
    );
    expect(end).toEqual({ kind: "prepared" });
    expect(trial.answers.slice(0, 5)).toEqual([
      "shop/prices.py",
      "shop/prices.py:1: def price():",
      "def price():\n    return 1\n",
      "yes",
      "later\nmaybe",
    ]);
    expect(trial.frontend.asked).toEqual([
      { question: "Round up?", options: ["yes", "no"] },
      { question: "And taxes?", options: [] },
    ]);
    expect(trial.sink.taken).toEqual([
      {
        prdEntries: seedArguments.prd_entries,
        testFiles: new Map(Object.entries(seedArguments.test_files)),
        notes: {
          tldr: "- **T-001:** THE-TLDR",
          open_questions: ["THE-QUESTION"],
          blockers: ["THE-BLOCKER"],
          scope_notes: "THE-SCOPE",
        },
      },
    ]);
    expect(trial.frontend.summaries).toEqual([
      { tldr: "- **T-001:** THE-TLDR", openQuestions: ["THE-QUESTION"], blockers: ["THE-BLOCKER"] },
    ]);
  });

  it("offers the model exactly its five tools each time", async () => {
    const { trial } = await held([calls(ask("Why?")), handIn]);
    for (const request of trial.model.of("interviewer"))
      expect(request.tools.map(({ name }) => name)).toEqual(["read_file", "glob", "grep", "ask_user", "write_seed"]);
    const required = Object.fromEntries(
      trial.model.of("interviewer")[0]?.tools.map(({ name, parameters }) => [name, parameters.required]) ?? [],
    );
    expect(required).toMatchObject({
      ask_user: ["question"],
      write_seed: ["prd_entries", "test_files", "tldr"],
    });
  });

  it("accepts a seed with only what is required", async () => {
    const { prd_entries, test_files, tldr } = seedArguments;
    const { trial, end } = await held([calls(["write_seed", { prd_entries, test_files, tldr }])]);
    expect(end.kind).toBe("prepared");
    expect(trial.sink.taken[0]?.notes).toEqual({ tldr, open_questions: [], blockers: [], scope_notes: "" });
  });

  it("goes on after a seed that the sink refused, in the sink's words, and shows no summary of it", async () => {
    const { trial, end } = await held([handIn, handIn], { refusals: ["tests/test_t001_hello.py passes already"] });
    expect(end.kind).toBe("prepared");
    expect(trial.answers).toEqual([
      say("seed-refused", { problem: "tests/test_t001_hello.py passes already" }),
      say("seed-taken"),
    ]);
    expect([trial.sink.offered.length, trial.sink.taken.length, trial.frontend.summaries.length]).toEqual([2, 1, 1]);
  });

  it("is given up when the model stops calling tools, with its words as one printable line", async () => {
    const words = `I will\nnot \u001b[31mdo\u202e this. ${"x".repeat(1_000)}`;
    const { trial, end } = await held([{ content: words }]);
    expect(end).toEqual({ kind: "given_up", detail: expect.stringMatching(/^I will not \[31mdo this\. x+…$/) });
    expect(end.kind === "given_up" && end.detail.length).toBe(300);
    expect([trial.sink.offered, trial.frontend.summaries]).toEqual([[], []]);
  });

  it("is given up when a reply has reasoning and no words", async () => {
    const { end } = await held([{ reasoning: "hm" }]);
    expect(end).toEqual({ kind: "given_up", detail: "it stopped without a word" });
  });

  it("ends after 60 replies, with cut-off ones counted and empty ones not", async () => {
    const asking = Array.from({ length: 58 }, (): FakeTurn => calls(ask("And?")));
    const { trial, end } = await held([
      ...asking,
      { content: "x", finish: "length" },
      empty,
      calls(ask("And?")),
      handIn,
    ]);
    expect(end).toEqual({ kind: "out_of_replies" });
    expect(trial.model.of("interviewer")).toHaveLength(61);
    expect(trial.sink.offered).toEqual([]);
  });

  it("accepts a seed in the 60th reply, and ends when that one is refused", async () => {
    const asking = Array.from({ length: 59 }, (): FakeTurn => calls(ask("And?")));
    expect((await held([...asking, handIn])).end).toEqual({ kind: "prepared" });
    expect((await held([...asking, handIn], { refusals: ["no"] })).end).toEqual({ kind: "out_of_replies" });
  });

  it("tells the person after each reply what has been used so far", async () => {
    const usage = (promptTokens: number, evalTokens: number) => ({ promptTokens, evalTokens, estimated: false });
    const { trial } = await held([
      { ...calls(ask("Why?")), usage: usage(10, 1) },
      { usage: usage(5, 5) },
      { ...calls(ask("How?")), usage: usage(20, 2) },
      { ...handIn, usage: usage(30, 3) },
    ]);
    expect(trial.frontend.tokens).toEqual([
      [10, 1],
      [35, 8],
      [65, 11],
    ]);
  });
});

describe("a reply with several calls", () => {
  it("has them run in their order, and each answered", async () => {
    const { trial } = await held([calls(ask("One?"), read("a"), ask("Two?")), handIn], {
      files: { a: "A" },
      answers: ["1", "2"],
    });
    expect(trial.answers.slice(0, 3)).toEqual(["1", "A", "2"]);
    const sent = trial.model.of("interviewer")[1]?.messages.slice(3) ?? [];
    expect(sent.map((one) => (one.role === "tool" ? [one.callId, one.content] : one.role))).toEqual([
      ["call_1", "1"],
      ["call_2", "A"],
      ["call_3", "2"],
    ]);
  });

  it("has 64 of them run and every other one answered, a seed among them", async () => {
    const reads = Array.from({ length: 64 }, () => read("a"));
    const { trial } = await held([calls(...reads, ask("Late?"), seed()), handIn], { files: { a: "A" } });
    const words = say("too-many-calls", { most: "64" });
    const sent = trial.model.of("interviewer")[1]?.messages.slice(3) ?? [];
    expect(sent.map((one) => one.role === "tool" && one.content)).toEqual([...Array(64).fill("A"), words, words]);
    expect(trial.events.of("calls_not_run")).toMatchObject([{ count: 2, why: "too_many", content: words }]);
  });

  it("has nothing run after write_seed, accepted or not, not even another write_seed", async () => {
    const late = [read("a"), ask("Late?"), seed()] as const;
    const after = Array(3).fill(say("after-seed"));
    const refused = await held([calls(seed(), ...late), handIn], { refusals: ["no"] });
    expect(refused.trial.answers.slice(1, 4)).toEqual(after);
    const malformed = await held([calls(["write_seed", {}], ...late), handIn]);
    expect(malformed.trial.answers.slice(1, 4)).toEqual(after);
    const taken = await held([calls(seed(), ...late)]);
    expect(taken.end).toEqual({ kind: "prepared" });
    expect(taken.trial.answers).toEqual([say("seed-taken"), ...after]);
    for (const { trial } of [refused, malformed, taken])
      expect([trial.frontend.asked, trial.sink.taken.length]).toEqual([[], 1]);
  });
});

describe("a reply that was cut off", () => {
  it.each<[string, FakeTurn]>([
    ["with whole arguments", { ...calls(ask("Why?"), seed()), finish: "length" }],
    ["with torn arguments of one call", calls(ask("Why?"), ["write_seed", '{"prd_entries": [{"id'])],
    ["with torn arguments of another", calls(seed(), ["read_file", '{"path": "a'])],
  ])("%s has none of its calls run, and each answered with a request for terser ones", async (_, turn) => {
    const { trial, end } = await held([turn, { content: "No." }]);
    expect(end.kind).toBe("given_up");
    expect(trial.answers).toEqual(Array(2).fill(say("interview-cut-off-call")));
    expect([trial.frontend.asked, trial.sink.offered]).toEqual([[], []]);
  });

  it("without calls is asked for again, and does not end the interview", async () => {
    const { trial, end } = await held([{ content: "I was about to", finish: "length" }, handIn]);
    expect(end.kind).toBe("prepared");
    expect(trial.model.of("interviewer")[1]?.messages.at(-1)).toEqual({
      role: "user",
      content: say("interview-cut-off"),
    });
  });
});

describe("an interview in trouble", () => {
  it("asks again after an empty reply and a rest, and fails as infra at the third in a row", async () => {
    const { trial, end } = await held([empty, empty, calls(ask("Why?")), empty, empty, handIn]);
    expect(end.kind).toBe("prepared");
    expect(trial.events.of("empty_model_response").map((one) => [one.phase, one.iter, one.in_a_row])).toEqual([
      ["interview", 1, 1],
      ["interview", 1, 2],
      ["interview", 2, 1],
      ["interview", 2, 2],
    ]);
    const failure = await held([empty, empty, empty]).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "infra", hint: expect.stringContaining("start the interview again") });
    expect(failure).not.toMatchObject({ hint: expect.stringContaining("tilth resume") });
  });

  it("drops older results when the context is full, and fails as infra when there are none", async () => {
    const full = new ContextFull("too long");
    const files = { a: `NOTES-A ${"x".repeat(2_000)}`, b: `NOTES-B ${"x".repeat(2_000)}` };
    const { trial, end } = await held([calls(read("a")), calls(read("b")), full, handIn], { files });
    expect(end.kind).toBe("prepared");
    expect(trial.events.of("context_folded")).toEqual([
      { iter: 3, why: "full", folded: ["call_1"], lines: [expect.stringContaining('read_file "a", 2008')] },
    ]);
    const last = JSON.stringify(trial.model.of("interviewer").at(-1));
    expect([last.includes("NOTES-A"), last.includes("NOTES-B")]).toEqual([false, true]);
    const failure = await held([full]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TilthError);
    expect(failure).toMatchObject({ code: "infra", hint: expect.stringContaining("TILTH_PREP_MODEL") });
  });

  it("drops what was read first when a prompt nears the limit, and not what the person said", async () => {
    const files = Object.fromEntries(["a", "b", "c"].map((name) => [name, `NOTES-${name} ${"x".repeat(4_000)}`]));
    const answers = [`THE-ANSWER ${"y".repeat(1_000)}`];
    const turns = [calls(ask("Why?")), calls(read("a")), calls(read("b")), calls(read("c")), handIn];
    const whole = await held(turns, { files, answers });
    const size = JSON.stringify(whole.trial.model.of("interviewer").at(-1)?.messages).length / 8;
    const { trial, end } = await held(turns, { files, answers, contextTokens: Math.floor(size) });
    expect(end.kind).toBe("prepared");
    const last = JSON.stringify(trial.model.of("interviewer").at(-1));
    expect(["THE-ANSWER", "NOTES-a", "NOTES-c"].map((text) => last.includes(text))).toEqual([true, false, true]);
    expect(trial.events.of("context_folded")[0]?.why).toBe("near_limit");
    expect(whole.trial.events.of("context_folded")).toEqual([]);
  });

  it("drops all refused seeds but the last when the context is full, before anything that was read", async () => {
    const full = new ContextFull("too long");
    const big = (mark: string) => calls(seed({ scope_notes: `${mark} ${"x".repeat(100_000)}` }));
    const { trial, end } = await held([calls(read("a")), big("FIRST"), big("SECOND"), big("THIRD"), full, handIn], {
      files: { a: `NOTES ${"x".repeat(2_000)}` },
      refusals: ["no", "no", "no"],
    });
    expect(end.kind).toBe("prepared");
    expect(trial.events.of("context_folded")).toEqual([
      {
        iter: 5,
        why: "full",
        folded: ["call_2", "call_3"],
        lines: [1, 2].map(() => expect.stringMatching(/^\{"dropped":"an earlier seed of 100\d\d\d characters/)),
      },
    ]);
    const last = trial.model.of("interviewer").at(-1)?.messages ?? [];
    const seeds = last.flatMap((message) => (message.role === "assistant" ? message.calls : [])).slice(1);
    expect(seeds.map((call) => Object.keys(JSON.parse(call.arguments)))).toEqual([
      ["dropped"],
      ["dropped"],
      expect.arrayContaining(["scope_notes"]),
    ]);
    expect(JSON.stringify(seeds)).toMatch(/THIRD x{9}/);
    expect(JSON.stringify(last)).toMatch(/NOTES x{9}/);
    expect(JSON.stringify(last).length).toBeLessThan(150_000);
  });

  it("ends when it is interrupted during a question, with the call on record and no answer", async () => {
    const trial = new InterviewTrial([calls(ask("Why?"))], { answers: ["hang"] });
    const end = trial.hold().catch((error: unknown) => error);
    await soon(() => trial.frontend.asked).toHaveLength(1);
    trial.interruption.abort();
    expect(await end).toBeInstanceOf(Interrupted);
    expect(trial.events.types.slice(-1)).toEqual(["tool_call"]);
  });

  it("ends when it is interrupted while the model thinks", async () => {
    const trial = new InterviewTrial(["hang"]);
    const end = trial.hold().catch((error: unknown) => error);
    trial.interruption.abort();
    expect(await end).toBeInstanceOf(Interrupted);
  });

  it("ends with the provider's own refusal", async () => {
    const denied = new TilthError("provider_denied", "the key is refused", "set another");
    await expect(held([denied])).rejects.toBe(denied);
  });

  it("answers a call with the loss of its container, and goes on", async () => {
    const lost = Object.assign(new FakeWork("/", "", ""), {
      grep: async () => {
        throw new HandsLost("read", "gone");
      },
    });
    const { trial, end } = await held([calls(["grep", { pattern: "x" }]), handIn], { reading: lost });
    expect([end.kind, trial.answers[0]]).toEqual(["prepared", say("reading-lost")]);
  });
});
