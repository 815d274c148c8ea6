import { expect, test } from "vitest";
import type { Turn } from "../../runner/demo/script/script.js";
import { AnthropicModel } from "./anthropic-model.js";
import type { Block } from "./anthropic-request.js";

interface Answer {
  readonly status: number;
  readonly content: readonly Block[];
  readonly refusal: string | null;
}

interface Message {
  readonly role: "user" | "assistant";
  readonly content: string | readonly Block[];
}

const asks: Message = { role: "user", content: "Which files are there?" };
const calls: Turn = { calls: [["bash", { command: "ls" }]], reasoning: "Files first." };
const told = { type: "enabled", budget_tokens: 1024 };
const free = { type: "adaptive" };

async function ask(model: AnthropicModel, messages: readonly Message[], more: object = {}): Promise<Answer> {
  const body = { model: "claude-sonnet-4-5", max_tokens: 8192, tools: [{ name: "bash" }], messages, ...more };
  const answer = await fetch(`${model.baseUrl}/v1/messages`, { method: "POST", body: JSON.stringify(body) });
  const { content = [], error } = (await answer.json()) as { content?: Block[]; error?: { message: string } };
  return { status: answer.status, content, refusal: error?.message ?? null };
}

function start(binds: boolean, ...turns: readonly Turn[]): Promise<AnthropicModel> {
  return AnthropicModel.start({ worker: turns }, { binds });
}

/** A reply as it is sent back, and the answers to its calls. */
function goesOn(content: readonly Block[]): readonly Message[] {
  const uses = content.filter(({ type }) => type === "tool_use");
  const results = uses.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "a.txt" }));
  return [
    { role: "assistant", content },
    { role: "user", content: results },
  ];
}

test("thinking that goes back as it came is accepted", async () => {
  await using model = await start(false, calls, calls, { quiet: "Thanks." });
  const first = await ask(model, [asks], { thinking: told });
  expect(first.content.map(({ type }) => type)).toEqual(["thinking", "tool_use"]);
  const sofar = [asks, ...goesOn(first.content)];
  const second = await ask(model, sofar, { thinking: told });
  const third = await ask(model, [...sofar, ...goesOn(second.content)], { thinking: told });
  expect(third).toMatchObject({ status: 200, content: [{ type: "thinking" }, { text: "Thanks." }] });
  expect(model.refusals).toEqual([]);
});

test.each<[string, (thought: Block, use: Block) => Block[], RegExp]>([
  [
    "is left out",
    (_, use) => [use],
    /^messages\.1\.content\.0\.type: Expected `thinking` or .*, but found `tool_use`\./,
  ],
  ["comes after the call", (thought, use) => [use, thought], /but found `tool_use`\./],
  ["says something else", (thought, use) => [{ ...thought, thinking: "No." }, use], /cannot be modified/],
  ["has another signature", (thought, use) => [{ ...thought, signature: "AAAA" }, use], /Invalid `signature`/],
  ["has a field of somebody else", (thought, use) => [{ ...thought, index: 0 }, use], /thinking\.index: Extra inputs/],
])("a reply whose thinking %s is refused", async (_, change, refusal) => {
  await using model = await start(false, calls);
  const { content } = await ask(model, [asks], { thinking: told });
  const [thought, use] = content;
  if (!thought || !use) throw new Error("the reply is not whole");
  const again = await ask(model, [asks, ...goesOn(change(thought, use))], { thinking: told });
  expect(again).toMatchObject({ status: 400, refusal: expect.stringMatching(refusal) });
});

test("a reply may go back without its thinking where thinking is off or adaptive", async () => {
  for (const more of [{}, { thinking: free }]) {
    await using model = await start(true, calls, { quiet: "Thanks." });
    const { content } = await ask(model, [asks], more);
    const plain = content.filter(({ type }) => type === "tool_use");
    expect(await ask(model, [asks, ...goesOn(plain)], more)).toMatchObject({ status: 200 });
  }
});

test("thinking is bound to the conversation before it where that is asked for", async () => {
  const changed: Message = { role: "user", content: "Which files were there?" };
  for (const binds of [false, true]) {
    await using model = await start(binds, calls, { quiet: "Thanks." });
    const { content } = await ask(model, [asks], { thinking: free });
    const { refusal } = await ask(model, [changed, ...goesOn(content)], { thinking: free });
    expect(refusal).toEqual(binds ? expect.stringContaining("is bound to a different conversation") : null);
  }
});

test("marks for the cache change no conversation, and thinking may be dropped at its start but not in its middle", async () => {
  await using model = await start(true, calls, calls, calls, { quiet: "Thanks." });
  const turns: Message[] = [asks];
  for (const _ of [1, 2, 3]) turns.push(...goesOn((await ask(model, turns, { thinking: free })).content));
  const without = (at: number) =>
    turns.map((said, index) =>
      index !== at || typeof said.content === "string"
        ? said
        : { ...said, content: said.content.filter(({ type }) => type !== "thinking") },
    );
  const marked = { ...asks, content: [{ type: "text", text: asks.content, cache_control: { type: "ephemeral" } }] };
  expect(await ask(model, without(3), { thinking: free })).toMatchObject({ status: 400 });
  expect(await ask(model, without(1), { thinking: free })).toMatchObject({ status: 200 });
  expect(await ask(model, [marked as Message, ...turns.slice(1)], { thinking: free })).toMatchObject({ status: 200 });
});

test.each<[string, readonly Message[], object, RegExp]>([
  [
    "an answer is missing",
    [asks, { role: "assistant", content: [use("toolu_1")] }],
    {},
    /without `tool_result` blocks/,
  ],
  ["an id is no plain word", [asks, ...goesOn([use("bash:0")])], {}, /tool_use\.id: String should match/],
  ["a parameter is another interface's", [asks], { prompt_cache_key: "a" }, /^prompt_cache_key: Extra inputs/],
  ["it may think no shorter than it may speak", [asks], { thinking: told, max_tokens: 1024 }, /must be greater than/],
  ["it thinks at another temperature", [asks], { thinking: told, temperature: 0 }, /may only be set to 1/],
])("a request is refused when %s", async (_, messages, more, refusal) => {
  await using model = await start(false);
  expect(await ask(model, messages, more)).toMatchObject({ status: 400, refusal: expect.stringMatching(refusal) });
});

test("a stream holds the same reply as a plain answer", async () => {
  await using model = await start(false, calls);
  const body = { model: "claude-sonnet-4-5", max_tokens: 2048, stream: true, thinking: told, messages: [asks] };
  const answer = await fetch(`${model.baseUrl}/v1/messages`, {
    method: "POST",
    body: JSON.stringify({ ...body, tools: [{ name: "bash" }] }),
  });
  const events = [...(await answer.text()).matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
  const deltas = events.flatMap(({ delta }) => (delta === undefined ? [] : [delta]));
  expect(deltas.map(({ partial_json = "" }) => partial_json).join("")).toBe('{"command":"ls"}');
  expect(deltas.map(({ thinking = "" }) => thinking).join("")).toBe("Files first.");
  expect(deltas.at(-1)).toMatchObject({ stop_reason: "tool_use" });
  expect(events.map(({ type }) => type)).toEqual([
    "message_start",
    ...["content_block_start", ...Array(3).fill("content_block_delta"), "content_block_stop"],
    ...["content_block_start", ...Array(2).fill("content_block_delta"), "content_block_stop"],
    ...["message_delta", "message_stop"],
  ]);
});

function use(id: string): Block {
  return { type: "tool_use", id, name: "bash", input: {} };
}
