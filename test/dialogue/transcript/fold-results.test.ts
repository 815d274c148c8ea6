import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldResults } from "../../../runner/dialogue/transcript/fold-results.js";
import type { Message, ToolCall } from "../../../runner/model/port/model-client.js";
import { interviewTools, toolLooks, workerTools } from "../../../runner/tools/roles.js";
import type { ToolSet } from "../../../runner/tools/tool/registry.js";

const exchange = (call: ToolCall, content: string): Message[] => [
  { role: "assistant", content: null, calls: [call], own: null },
  { role: "tool", callId: call.id, content },
];
const roles = [workerTools(), interviewTools()];
const tools: ToolSet = {
  definitions: roles.flatMap(({ definitions }) => definitions),
  looks: toolLooks,
  isTerminal: (name) => roles.some((role) => role.isTerminal(name)),
};
const long = "x".repeat(5_000);
const lineOf = (name: string, args: unknown) => {
  const call = { id: "a", name, arguments: JSON.stringify(args) };
  return (
    foldResults([...exchange(call, long), ...exchange({ ...call, id: "b" }, "short")], "seen", tools).lines[0] ?? ""
  );
};

describe("folded results", () => {
  it.each<[string, object, string]>([
    ["bash", { command: "ls -l\nwc -l *" }, 'bash "ls -l wc -l *", 5000 characters'],
    ["read_file", { path: "a.py", offset: 3 }, 'read_file "a.py", 5000 characters'],
    ["grep", { pattern: "x.*y" }, 'grep "x.*y", 5000 characters'],
    ["ask_user", { question: "Which?" }, 'ask_user "Which?", 5000 characters'],
    ["constructor", { path: "a" }, "constructor, 5000 characters"],
    ["bash", { command: 7 }, "bash, 5000 characters"],
  ])("of %s name the arguments of the call", (name, args, expected) => {
    expect(lineOf(name, args)).toContain(`of ${expected}`.replace("of ask_user", "to ask_user"));
  });

  it("are lines too short to be folded again, whatever the call's name and content", () => {
    const text = fc.string({ unit: "binary", minLength: 0, maxLength: 300 });
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom("bash", "read_file", "ask_user"), text), text, text, (name, value, raw) => {
        for (const args of [JSON.stringify({ command: value, path: value, question: value }), raw]) {
          const messages = exchange({ id: "a", name, arguments: args }, long);
          const once = foldResults(messages, "all", tools);
          expect(once.folded).toEqual(["a"]);
          expect(once.lines[0]).not.toMatch(/\n/);
          expect(foldResults(once.messages, "all", tools).folded).toEqual([]);
        }
      }),
    );
  });

  it.each(["seen", "all"] as const)("grow in number with each round until none is left to fold (%s)", (reach) => {
    const sizes = fc.array(fc.nat(2_000), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        let messages: readonly Message[] = lengths.flatMap((length, n) =>
          exchange({ id: `c${n}`, name: "bash", arguments: "{}" }, "x".repeat(length)),
        );
        const folded: string[] = [];
        for (;;) {
          const round = foldResults(messages, reach, tools);
          if (round.folded.length === 0) break;
          folded.push(...round.folded);
          messages = round.messages;
        }
        const reached = reach === "all" ? lengths : lengths.slice(0, -1);
        expect(folded).toEqual(reached.flatMap((length, n) => (length > 400 ? [`c${n}`] : [])));
      }),
    );
  });

  it("free at least half of what folding them all would free, in one round", () => {
    const results = fc.array(fc.tuple(fc.constantFrom("bash", "submit_case"), fc.nat(9_000)), {
      minLength: 2,
      maxLength: 9,
    });
    fc.assert(
      fc.property(results, (given) => {
        const messages = given.flatMap(([name, length], n) =>
          exchange({ id: `c${n}`, name, arguments: "{}" }, "x".repeat(length)),
        );
        const size = (all: readonly Message[]) => all.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
        let bare: readonly Message[] = messages;
        for (let last = ""; last !== JSON.stringify(bare); bare = foldResults(bare, "seen", tools).messages)
          last = JSON.stringify(bare);
        const once = foldResults(messages, "seen", tools).messages;
        expect(size(messages) - size(once)).toBeGreaterThanOrEqual((size(messages) - size(bare)) / 2);
      }),
    );
  });

  it("include a person's answer only when nothing else that was seen is left", () => {
    const asked = exchange({ id: "p", name: "ask_user", arguments: "{}" }, long);
    const read = ["r", "s"].flatMap((id) => exchange({ id, name: "grep", arguments: "{}" }, long));
    const once = foldResults([...asked, ...read], "seen", tools);
    const twice = foldResults(once.messages, "seen", tools);
    expect([once.folded, twice.folded, foldResults(twice.messages, "seen", tools).folded]).toEqual([["r"], ["p"], []]);
  });
});
