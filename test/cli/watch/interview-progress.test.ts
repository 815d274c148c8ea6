import { afterEach, expect, test, vi } from "vitest";
import { Output } from "../../../cli/output/output.js";
import { InterviewProgress } from "../../../cli/watch/interview-progress.js";
import type { EventType, Payload } from "../../../runner/session/log/events.js";
import { never } from "../../helpers/git-repo.js";
import { soon } from "../../helpers/soon.js";
import { logOf, oid } from "../../session/event-fixtures.js";
import { HeardOutput } from "../heard-output.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A terminal that keeps all that is written to it. */
function terminalOf(columns: number) {
  const written = { text: "" };
  const sink = async (bytes: Buffer) => {
    written.text += bytes.toString();
  };
  const target = { sink, terminal: true, coloured: false, columns: () => columns, rows: () => 24 };
  return { written, output: new Output(target, target) };
}

/** The listeners of the whole process; tests compare the number with that of before, because others may listen too. */
const listening = () => process.listenerCount("SIGTSTP");

async function shown(...entries: { [T in EventType]: [T, Payload<T>] }[EventType][]): Promise<string[]> {
  const heard = new HeardOutput();
  const progress = new InterviewProgress(heard.output, never);
  for (const event of logOf(...entries)) progress.show(event);
  return await heard.lines("progress");
}

function call(tool: string, args: Payload<"tool_call">["args"], iter = 1): ["tool_call", Payload<"tool_call">] {
  return ["tool_call", { iter, tool, call_id: "1", args }];
}

test("between questions the progress says what the model reads, and does not repeat the questions", async () => {
  const lines = await shown(
    call("read_file", { path: "shop/prices.py" }),
    call("glob", { pattern: "tests/**" }),
    call("grep", { pattern: "float\\(" }),
    call("ask_user", { question: "Which currency?" }),
    call("write_seed", { prd_entries: [] }),
    call("write_seed", { prd_entries: [] }, 2),
    ["model_retry", { phase: "interview", attempt: 1, wait_ms: 1500, reason: "HTTP 503" }],
    [
      "limit_wait",
      {
        phase: "interview",
        reason: "no requests are left",
        wait_ms: 40_000,
        until: new Date(2026, 0, 1, 9).toISOString(),
      },
    ],
    ["parameter_left_out", { phase: "interview", parameter: "usage", sent_instead: null, reason: "HTTP 422: no" }],
    ["seed_committed", { sha: oid("c"), tree: oid("d") }],
  );
  expect(lines).toEqual([
    "reading shop/prices.py",
    "looking for tests/**",
    "searching for float\\(",
    "checking the model's seed",
    "seed 1 was sent back; checking seed 2",
    "model: again in 1.5 s (HTTP 503)",
    "model: waiting until 09:00:00 for the model's limit (no requests are left)",
    "model: usage was refused, it is left out from now on (HTTP 422: no)",
    `commit ${oid("c").slice(0, 10)}`,
  ]);
});

test("a second seed in one reply is not checked, and nothing is said of it", async () => {
  const lines = await shown(call("write_seed", {}), call("write_seed", {}), call("write_seed", {}, 2));
  expect(lines).toEqual(["checking the model's seed", "seed 1 was sent back; checking seed 2"]);
});

test("a seed that is sent back is reported with the reason", async () => {
  const answer = (iter: number, content: string): ["tool_result", Payload<"tool_result">] => [
    "tool_result",
    { iter, tool: "write_seed", call_id: "1", content, ms: 1 },
  ];
  const lines = await shown(
    call("write_seed", {}),
    answer(1, "tests/test_t001_a.py: passes already\nmore"),
    call("write_seed", {}),
    answer(1, "only the first one counts"),
    call("write_seed", {}, 2),
    answer(2, "tldr: missing"),
    call("write_seed", {}, 3),
  );
  expect(lines).toEqual([
    "checking the model's seed",
    "seed 1 was sent back (tests/test_t001_a.py: passes already more); checking seed 2",
    "seed 2 was sent back (tldr: missing); checking seed 3",
  ]);
});

test("no argument of the model's can act on the terminal or forge a line", async () => {
  const forged = "a\u001b[2J\ntilth: done\u202e";
  const lines = await shown(call("read_file", { path: forged }), call("glob", null), call("grep", { pattern: 7 }));
  expect(lines).toEqual(["reading a[2J tilth: done", "looking for ", "searching for "]);
});

test("a slow model is said to be thinking, once, and never while somebody else has to act", async () => {
  vi.useFakeTimers();
  try {
    const heard = new HeardOutput();
    const stopping = new AbortController();
    const progress = new InterviewProgress(heard.output, stopping.signal);
    const answered: ["tool_result", Payload<"tool_result">] = [
      "tool_result",
      { iter: 1, tool: "ask_user", call_id: "1", content: "yes", ms: 1 },
    ];
    const after = (...entries: { [T in EventType]: [T, Payload<T>] }[EventType][]) => {
      for (const event of logOf(...entries)) progress.show(event);
      vi.advanceTimersByTime(60_000);
    };
    after(call("ask_user", { question: "Which currency?" }));
    after(answered, call("ask_user", { question: "And who rounds?" }));
    expect(heard.progress).toBe("");
    after(answered);
    stopping.abort();
    after(answered);
    vi.useRealTimers();
    expect(await heard.lines("progress")).toEqual(["the model is thinking"]);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  [100, "the model is thinking · 4,321 characters so far"],
  [40, "the model is thinking · 4,321 character…"],
])("a terminal of %i columns shows how much of a streamed reply has come", async (columns, drawn) => {
  const { written, output } = terminalOf(columns);
  using progress = new InterviewProgress(output, never);
  progress.arriving(120);
  progress.arriving(4_321);
  await soon(async () => written.text).toContain(drawn);
});

test("the progress of a reply is erased before its result is shown, and when the interview ends", async () => {
  const { written, output } = terminalOf(100);
  const progress = new InterviewProgress(output, never);
  const before = listening();
  const gone = async () => {
    await output.drain(AbortSignal.abort());
    expect(written.text.slice(written.text.lastIndexOf("so far"))).toContain("\u001b[1A\u001b[J");
    expect(listening()).toBe(before);
    written.text = "";
  };
  progress.arriving(120);
  expect(listening()).toBe(before + 1);
  await output.drain(AbortSignal.abort());
  for (const event of logOf(call("ask_user", { question: "Which currency?" }))) progress.show(event);
  await gone();
  progress.arriving(7);
  await output.drain(AbortSignal.abort());
  progress[Symbol.dispose]();
  await gone();
});

test("nothing is shown of a partial reply where drawing in place is impossible, or after an interruption", async () => {
  const heard = new HeardOutput();
  new InterviewProgress(heard.output, never).arriving(120);
  expect(await heard.lines("progress")).toEqual([]);
  const { written, output } = terminalOf(100);
  new InterviewProgress(output, AbortSignal.abort()).arriving(120);
  vi.stubEnv("TERM", "dumb");
  new InterviewProgress(output, never).arriving(120);
  await output.drain(AbortSignal.abort());
  expect(written.text).toBe("");
});

test("a terminal of 80 columns shows the end of a long wait, whatever the provider says", async () => {
  const { written, output } = terminalOf(80);
  const reason = `HTTP 429: ${"Rate limit reached for the model in your organisation. ".repeat(4)}`;
  const wait = { phase: "interview" as const, reason, wait_ms: 7 * 86_400_000, uncounted: true as const };
  const until = new Date(2026, 10, 27, 14, 5, 10).toISOString();
  for (const event of logOf(["limit_wait", { ...wait, until }])) new InterviewProgress(output, never).show(event);
  await output.drain(AbortSignal.abort());
  expect(written.text).toMatch(/^model: waiting until 2026-11-27 14:05:10 \S+ for the model's limit \(HTTP 429.*…\n$/);
  written.text = "";
  const retry = { phase: "interview" as const, attempt: 1, wait_ms: 300_000, reason };
  for (const event of logOf(["model_retry", retry])) new InterviewProgress(output, never).show(event);
  await output.drain(AbortSignal.abort());
  expect(written.text).toMatch(/^model: again in 300\.0 s, at \d\d:\d\d:\d\d \(HTTP 429.*…\n$/);
});
