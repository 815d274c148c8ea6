import { describe, expect, it } from "vitest";
import { foldResults } from "../../runner/loop/fold-results.js";
import { ContextFull, type Message } from "../../runner/model/model-client.js";
import { LoopSession } from "../helpers/loop-session.js";
import { accept, calls, solve } from "../helpers/loop-turns.js";

const full = new ContextFull("too long");
const notes = (n: number) => ["read_file", { path: `notes_${n}.md` }] as const;
const files = Object.fromEntries([1, 2, 3, 4].map((n) => [`notes_${n}.md`, `NOTES-${n} ${"x".repeat(2_000)}`]));

describe("a conversation that no longer fits", () => {
  it("is asked again with the older results dropped, every call still answered, at no cost of a reply", async () => {
    const session = await LoopSession.open({ files, caps: { maxIterationsPerTask: 5 } });
    const reading = [1, 2, 3, 4].map((n) => calls(notes(n)));
    const run = await session.run({ worker: [...reading, full, full, solve(1)], evaluator: [accept] });
    expect(run.reason).toBe("all_done");
    const held = run.model.of("worker").map((request) => JSON.stringify(request).match(/NOTES-\d/g) ?? []);
    expect(held.slice(-3)).toEqual([["NOTES-1", "NOTES-2", "NOTES-3", "NOTES-4"], ["NOTES-3", "NOTES-4"], ["NOTES-4"]]);
    expect(JSON.stringify(run.model.of("worker").at(-1))).toContain("an earlier result of read_file, 2008 characters");
    expect(run.of("context_folded").map(({ folded }) => folded)).toEqual([["call_1", "call_2"], ["call_3"]]);
  });

  it("stops the run as infra, the task pending, when nothing is left to drop", async () => {
    const session = await LoopSession.open({ files });
    const run = await session.run({ worker: [calls(notes(1)), full, full] });
    expect([run.reason, session.statuses]).toEqual(["infra", ["pending"]]);
    expect(run.of("context_folded")).toHaveLength(1);
  });

  it("cannot be kept from an end by a tool's name", () => {
    const call = { id: "a", name: "n".repeat(10_000), arguments: "{}" };
    const messages: Message[] = [
      { role: "assistant", content: null, calls: [call], reasoning: {} },
      { role: "tool", callId: "a", content: "x".repeat(5_000) },
    ];
    const once = foldResults(messages);
    expect(once.folded).toEqual(["a"]);
    expect(foldResults(once.messages).folded).toEqual([]);
  });
});
