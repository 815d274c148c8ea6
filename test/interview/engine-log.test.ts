import { describe, expect, it } from "vitest";
import { previewed } from "../../runner/interview/previews.js";
import type { FakeTurn } from "../helpers/fake-model-client.js";
import { InterviewTrial, type TrialOptions } from "../helpers/interview-trial.js";
import { ask, handIn, seed, seedArguments } from "../helpers/interview-turns.js";
import { calls, empty } from "../helpers/loop-turns.js";

const longTest = Array.from({ length: 200 }, (_, n) => `LINE_${n} = ${n}\n`).join("");
const description = `STARTS ${"and goes on, ".repeat(500)} ENDS`;
const longSeed = seed({
  prd_entries: [{ ...seedArguments.prd_entries[0], description }],
  test_files: { "test_t001_long.py": longTest },
});
const of = (args: unknown, name = "write_seed") =>
  previewed({ id: "c", name, arguments: typeof args === "string" ? args : JSON.stringify(args) }).arguments;
const filesOf = (args: unknown) => JSON.parse(of(args)).test_files;

async function held(turns: readonly FakeTurn[], options: TrialOptions = {}) {
  const trial = new InterviewTrial(turns, options);
  await trial.hold();
  return trial;
}

describe("the log of an interview", () => {
  it("has the same events as a run, each with the reply it belongs to", async () => {
    const retry = { attempt: 1, reason: "503", waitMs: 10 };
    const { events } = await held([{ ...calls(ask("Why?")), retries: [retry] }, empty, handIn]);
    expect(events.types).toEqual([
      "prompt_assembled",
      "model_retry",
      "model_call",
      "tool_call",
      "tool_result",
      "model_call",
      "empty_model_response",
      "model_call",
      "tool_call",
      "tool_result",
    ]);
    expect(events.all.map(({ payload }) => (payload as { iter?: number }).iter)).toEqual([
      0, 1, 1, 1, 1, 2, 2, 2, 2, 2,
    ]);
    expect(events.of("model_call")[0]).toMatchObject({
      phase: "interview",
      attempt: 1,
      model: "fake-interviewer",
      tokens_used_total: 120,
    });
    expect(events.of("tool_call")[0]).toMatchObject({ tool: "ask_user", args: { question: "Why?" } });
    for (const { payload } of events.all) expect(payload).not.toHaveProperty("task_id");
  });

  it("holds in full every prompt that was sent", async () => {
    const { events, model } = await held([{ content: "x", finish: "length" }, handIn]);
    const sent = model.of("interviewer")[1]?.messages ?? [];
    const [system, user, , told] = sent.map(({ content }) => content ?? "");
    expect(events.of("prompt_assembled").map(({ role, content, chars }) => [role, content, chars])).toEqual([
      ["interview", `${system}\n\n${user}`, (system?.length ?? 0) + 2 + (user?.length ?? 0)],
      ["interview", told, told?.length],
    ]);
  });

  it("shows the first lines of a seed's tests, all of which went to the model, and everything else in full", async () => {
    const trial = await held([calls(longSeed), handIn], { refusals: ["no"] });
    expect(JSON.stringify(trial.model.of("interviewer")[1])).toContain("LINE_199");
    const logged = JSON.stringify(trial.events.all);
    expect(logged).not.toContain("LINE_5 ");
    const preview = `LINE_0 = 0\nLINE_1 = 1\nLINE_2 = 2\nLINE_3 = 3\nLINE_4 = 4\n[… ${longTest.length} characters in all]`;
    const shown = [
      trial.events.of("tool_call")[0]?.args,
      JSON.parse(trial.events.of("model_call")[0]?.calls[0]?.arguments ?? ""),
    ];
    for (const args of shown) {
      expect(args).toMatchObject({ test_files: { "test_t001_long.py": preview }, tldr: seedArguments.tldr });
      expect(args).toMatchObject({ prd_entries: [{ description }] });
    }
    expect(trial.sink.offered[0]?.testFiles.get("test_t001_long.py")).toBe(longTest);
  });
});

describe("a preview", () => {
  it("leaves short texts alone, and every other call", () => {
    expect(filesOf(seedArguments)).toEqual(seedArguments.test_files);
    const five = "1\n2\n3\n4\n5\n";
    expect(filesOf({ test_files: { a: five, b: "" } })).toEqual({ a: five, b: "" });
    expect(of({ test_files: { a: longTest } }, "ask_user")).toBe(JSON.stringify({ test_files: { a: longTest } }));
    expect(of({ tldr: longTest })).toBe(JSON.stringify({ tldr: longTest }));
  });

  it("bounds a single line too, and never cuts within a character", () => {
    const line = `${"x".repeat(399)}\u{1f600}${"y".repeat(1_000_000)}`;
    expect(filesOf({ test_files: { a: line } }).a).toBe(`${"x".repeat(399)}\n[… 1000401 characters in all]`);
  });

  it.each<[string, unknown, (shown: unknown) => unknown]>([
    ["in a list", [longTest], (shown) => (shown as string[])[0]],
    ["as one text", longTest, (shown) => shown],
    ["one level deeper", { tests: { a: longTest } }, (shown) => (shown as { tests: { a: string } }).tests.a],
  ])("is also made of tests that came %s", (_, test_files, pick) => {
    expect(pick(filesOf({ test_files }))).toMatch(/^LINE_0 = 0\n[\s\S]*LINE_4 = 4\n\[… \d+ characters in all\]$/);
  });

  it("of arguments that cannot be taken apart shows their start and end", () => {
    const torn = JSON.stringify({ test_files: { a: longTest.repeat(10) } }).slice(0, -2);
    const shown = of(torn);
    expect(shown.length).toBeLessThan(2_100);
    expect(shown.startsWith('{"test_files"') && shown.endsWith('LINE_199 = 199\\n"')).toBe(true);
    expect(shown).toContain(`${torn.length} bytes in all`);
    expect(of("[1]")).toBe("[1]");
  });
});
