import { describe, expect, it } from "vitest";
import { ContextFull, type ModelRequest } from "../../runner/model/port/model-client.js";
import type { FakeReply, FakeTurn } from "../helpers/fake-model-client.js";
import { faultRun, solve as solving } from "../helpers/fault-run.js";
import { LoopSession } from "../helpers/loop-session.js";
import { accept, calls, reject, solve, submit } from "../helpers/loop-turns.js";
import { requestsInLog, requestsOnTheWire } from "../helpers/session-log.js";

const full = new ContextFull("too long");
const notes = (n: number) => ["read_file", { path: `notes_${n}.md` }] as const;
const numbers = [1, 2, 3, 4, 5, 6];
const files = Object.fromEntries(numbers.map((n) => [`notes_${n}.md`, `NOTES-${n} ${"x".repeat(4_000)}`]));
const heldIn = (request: ModelRequest) => JSON.stringify(request).match(/NOTES-\d/g) ?? [];

const tokensIn = ({ messages, tools }: ModelRequest) => Math.ceil(JSON.stringify([messages, tools]).length / 4);
/** A provider that counts tokens, so the reply tells the size of its prompt. */
const counted =
  (reply: FakeReply): FakeTurn =>
  (request) => ({ ...reply, usage: { promptTokens: tokensIn(request), evalTokens: 20, estimated: false } });

async function openingTokens(): Promise<number> {
  const session = await LoopSession.open({ files });
  const run = await session.run({ worker: [solve(1)], evaluator: [accept] });
  const [first] = run.model.of("worker");
  return first ? tokensIn(first) : 0;
}

describe("a conversation that its provider says is full", () => {
  it("is sent again with the older results folded and every call answered, at no cost of a reply", async () => {
    const session = await LoopSession.open({ files, caps: { maxIterationsPerTask: 5 } });
    const reading = [1, 2, 3, 4].map((n) => calls(notes(n)));
    const run = await session.run({ worker: [...reading, full, full, solve(1)], evaluator: [accept] });
    expect(run.reason).toBe("all_done");
    const held = run.model.of("worker").map(heldIn);
    expect(held.slice(-3)).toEqual([["NOTES-1", "NOTES-2", "NOTES-3", "NOTES-4"], ["NOTES-3", "NOTES-4"], ["NOTES-4"]]);
    const line =
      'an earlier result of read_file "notes_1.md", 4008 characters, was dropped to save room; make the call';
    expect(JSON.stringify(run.model.of("worker").at(-1)).replaceAll("\\", "")).toContain(line);
    expect(run.of("context_folded").map(({ why, folded }) => [why, folded])).toEqual([
      ["full", ["call_1", "call_2"]],
      ["full", ["call_3"]],
    ]);
    expect(run.of("context_folded")[0]?.lines[0]).toContain(line);
  });

  it("loses answers that were not seen yet last of all, and the worker is then told to ask for less", async () => {
    const session = await LoopSession.open({ files });
    const run = await session.run({ worker: [calls(notes(1)), full, solve(1)], evaluator: [accept] });
    expect(run.reason).toBe("all_done");
    expect(run.of("context_folded")[0]?.lines).toEqual([
      expect.stringMatching(/dropped before you saw it.*a smaller part/),
    ]);
  });

  it("keeps the answer to a case as long as there is anything else to fold", async () => {
    const session = await LoopSession.open({ files });
    const concern = `THE-CONCERN ${"y".repeat(2_000)}`;
    const worker = [solve(1), calls(notes(1)), calls(notes(2)), full, full, calls(submit())];
    const run = await session.run({ worker, evaluator: [reject({ concern }), accept] });
    expect(run.reason).toBe("all_done");
    const held = run.model.of("worker").map((request) => JSON.stringify(request.messages).includes("THE-CONCERN"));
    expect(held.slice(-3)).toEqual([true, true, false]);
    expect(run.of("context_folded")[1]?.lines[0]).toContain("an earlier answer to submit_case, ");
  });

  it("stops the run as infra, with the task pending and the setting named, when nothing is left to fold", async () => {
    const session = await LoopSession.open({ files });
    const run = await session.run({ worker: [calls(notes(1)), full, full] });
    expect([run.reason, session.statuses]).toEqual(["infra", ["pending"]]);
    expect(run.of("context_folded")).toHaveLength(1);
    expect(run.end.stop.hint).toContain("TILTH_WORKER_MODEL");
  });

  it("keeps its opening prompt, and the reasoning of each reply beside it", async () => {
    const session = await LoopSession.open({ files });
    const reading = numbers.map((n) => ({ ...calls(notes(n)), reasoning: `thought ${n}` }));
    const run = await session.run({ worker: [...reading, full, full, full, full, solve(1)], evaluator: [accept] });
    const [first, last] = [run.model.of("worker")[0], run.model.of("worker").at(-1)];
    expect(last?.messages.slice(0, 2)).toEqual(first?.messages);
    const replies = last?.messages.flatMap((message) => (message.role === "assistant" ? [message.own?.fields] : []));
    expect(replies).toEqual(numbers.map((n) => ({ reasoning: `thought ${n}` })));
  });
});

describe("a conversation that nears TILTH_CONTEXT_TOKENS", () => {
  const reading = numbers.map((n) => counted(calls(notes(n))));

  it("has its oldest results folded before it is sent, and goes unchanged without the limit", async () => {
    const limit = (await openingTokens()) + 3_500;
    const script = { worker: [...reading, solve(1)], evaluator: [accept] };
    const naive = await (await LoopSession.open({ files })).run(script);
    expect(Math.max(...naive.model.of("worker").map(tokensIn))).toBeGreaterThan(limit);
    expect(naive.of("context_folded")).toEqual([]);

    const run = await (await LoopSession.open({ files, contextTokens: limit })).run(script);
    expect(run.reason).toBe("all_done");
    expect(run.model.of("worker")).toHaveLength(naive.model.of("worker").length);
    expect(Math.max(...run.model.of("worker").map(tokensIn))).toBeLessThan(limit);
    for (const [at, request] of run.model.of("worker").slice(1).entries())
      expect(heldIn(request).at(-1)).toBe(`NOTES-${at + 1}`);
    expect(new Set(run.of("context_folded").map(({ why }) => why))).toEqual(new Set(["near_limit"]));
    expect(run.of("context_folded").flatMap(({ folded }) => folded)[0]).toBe("call_1");
  });

  it("is still sent when the rest of it cannot be folded", async () => {
    const session = await LoopSession.open({ files, contextTokens: 1_000 });
    const run = await session.run({ worker: [...reading.slice(0, 2), solve(1)], evaluator: [accept] });
    expect(run.reason).toBe("all_done");
    expect(run.model.of("worker").map(heldIn)).toEqual([[], ["NOTES-1"], ["NOTES-2"]]);
  });

  it("is measured by its length when the provider counts too little or nothing", async () => {
    const limit = Math.ceil((await openingTokens()) / 2) + 2_000;
    const uncounted = numbers.map((n) => ({
      ...calls(notes(n)),
      usage: { promptTokens: 3, evalTokens: 0, estimated: false },
    }));
    const session = await LoopSession.open({ files, contextTokens: limit });
    const run = await session.run({ worker: [...uncounted, solve(1)], evaluator: [accept] });
    expect(run.reason).toBe("all_done");
    expect(run.of("context_folded").length).toBeGreaterThan(0);
  });

  it("is given whole by the log, word for word as it was sent", async () => {
    const bigger = numbers.map((n) => ({ calls: [notes(n)] }));
    // the scripted endpoint says 100 for every prompt
    const contextTokens = Math.ceil((await openingTokens()) / 2) + 2_000;
    const run = await faultRun({ worker: [...bigger, solving] }, {}, { files, contextTokens });
    expect(run.of("context_folded").length).toBeGreaterThan(0);
    expect(requestsInLog(run.events)).toEqual(requestsOnTheWire(run.requests));
  });

  it("never loses what the worker has not seen because of an absurd token count", async () => {
    const session = await LoopSession.open({ files, contextTokens: 100_000 });
    const absurd = numbers.map((n) => ({
      ...calls(notes(n)),
      usage: { promptTokens: 1e8, evalTokens: 0, estimated: false },
    }));
    const run = await session.run({ worker: [...absurd, solve(1)], evaluator: [accept] });
    const held = run.model.of("worker").map(heldIn);
    expect(held).toEqual([[], ...numbers.map((n) => [`NOTES-${n}`])]);
  });
});
