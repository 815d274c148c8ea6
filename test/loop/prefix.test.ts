import { expect, it } from "vitest";
import { openModelClient } from "../../runner/model/openai-client.js";
import { type LoopOptions, LoopSession } from "../helpers/loop-session.js";
import { bash, type Call, caseOf, write } from "../helpers/loop-turns.js";
import { brokenPrefixes } from "../helpers/prefixes.js";
import { endpointsOf, startModel, type Turn } from "../helpers/scripted-model.js";

const notes = (n: number) => `NOTES ${"n".repeat(3_000)} ${n}\n`;
const files = { ...Object.fromEntries([1, 2, 3, 4].map((n) => [`notes_${n}.md`, notes(n)])), "AGENTS.md": "Plain.\n" };
const read = (n: number): Call => ["read_file", { path: `notes_${n}.md` }];
const odd = (id: string, args: string) => ({ id, type: "function", function: { name: "bash", arguments: args } });
const submit: Call = ["submit_case", caseOf()];

/** Every form of a reply: quiet, cut off, torn, refused, with fields of its own, with ids that have to be mended. */
const replies: readonly Turn[] = [
  { calls: [read(1), read(2)], content: "I look.", reasoning: "why" },
  { quiet: "I think." },
  { cut: ["bash", { command: "ls" }] },
  {
    message: {
      content: null,
      thinking_blocks: [{ signature: "s" }],
      tool_calls: [odd("x".repeat(90), "{}"), odd("", "[")],
    },
  },
  { empty: true },
  {
    message: {
      content: [{ type: "text", text: "in parts" }],
      tool_calls: [odd("a", '{"command":"ls"}'), odd("a", "7")],
    },
  },
  { calls: Array.from({ length: 70 }, () => bash("true")) },
  { calls: [read(3), submit] },
  { calls: [read(4), write("feature_1.py", "value = 1\n"), submit] },
];

async function played(options: LoopOptions) {
  const session = await LoopSession.open({ tasks: 2, files, ...options });
  const second: Turn = { calls: [write("feature_2.py", "value = 2\n"), submit] };
  await using model = await startModel({ worker: [...replies, second] });
  const limits = { requestTimeoutSeconds: 20, maxOutageMinutes: 10 };
  const of = { session: session.files.id, clock: session.clock };
  const { end, events } = await session.runOn(openModelClient(endpointsOf(model.baseUrl), limits, of));
  expect(end.stop.reason).toBe("all_done");
  const folds = events.filter(({ type }) => type === "context_folded").length;
  return { requests: model.requests, folds };
}

it("each request of a task begins with the whole of the one before, whatever was answered", async () => {
  const { requests, folds } = await played({});
  expect(folds).toBe(0);
  expect(requests.filter(({ role }) => role === "worker")).toHaveLength(replies.length + 1);
  expect(brokenPrefixes(requests)).toEqual([]);

  const naive = requests.map((request, n) => ({
    ...request,
    body: {
      ...request.body,
      messages: request.messages.toSpliced(2, 1, { role: "user", content: `${n} replies so far` }),
    },
  }));
  expect(brokenPrefixes(naive).length).toBeGreaterThan(3);
});

it("a conversation begins anew only where it is folded, and the next fold is far", async () => {
  const { requests, folds } = await played({ contextTokens: 2_500 });
  expect(folds).toBeGreaterThan(0);
  expect(brokenPrefixes(requests)).toHaveLength(1);
});

it("a role's instructions and tools are the same for all tasks, and what did not change opens its prompts", async () => {
  const { requests } = await played({});
  for (const role of ["worker", "evaluator", "self_improve"]) {
    const asked = requests.filter((request) => request.role === role);
    expect(asked.length, role).toBeGreaterThan(1);
    expect(new Set(asked.map(({ body, messages }) => JSON.stringify([body.tools, messages[0]]))).size, role).toBe(1);
    const openings = asked.map(({ messages }) => String(messages[1]?.content));
    const context = openings.map((text) => text.slice(0, text.indexOf(">>>", text.indexOf("Plain."))));
    expect(context[0]).toContain("Plain.");
    expect(new Set(context).size, role).toBe(1);
  }
});
