import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChatAssembly } from "../../../runner/model/stream/chat-assembly.js";
import { growth } from "../../helpers/quickest.js";
import { chunksOf } from "../../helpers/stream-chunks.js";

type Fields = Readonly<Record<string, unknown>>;

function assembled(events: readonly string[], name: string | null = null): ChatAssembly {
  const assembly = new ChatAssembly();
  for (const data of events) if (!assembly.isDone) assembly.take({ name, data });
  return assembly;
}

/** The message that deltas add up to, passed through JSON as a reply is. */
function messageOf(...deltas: readonly Fields[]): unknown {
  const events = deltas.map((delta) => JSON.stringify({ choices: [{ index: 0, delta }] }));
  const { choices } = JSON.parse(JSON.stringify(assembled(events).answer())) as { choices: { message: unknown }[] };
  return choices[0]?.message;
}

function callsOf(...pieces: readonly (readonly Fields[])[]): unknown {
  return (messageOf(...pieces.map((tool_calls) => ({ tool_calls }))) as { tool_calls: unknown }).tool_calls;
}

const call = (id: string, name: string, text: string, more: Fields = {}) => ({
  ...{ id, type: "function", function: { name, arguments: text } },
  ...more,
});

describe("a message in pieces", () => {
  it("has its words, its refusal and its thoughts joined", () => {
    expect(
      messageOf(
        { role: "assistant", content: "", refusal: null },
        { reasoning: "I ", reasoning_content: "I " },
        { reasoning: "think", reasoning_content: "think" },
        { content: "he" },
        { content: "llo" },
        { content: null, refusal: "no" },
      ),
    ).toEqual({
      role: "assistant",
      content: "hello",
      reasoning: "I think",
      reasoning_content: "I think",
      refusal: "no",
    });
  });

  it("has the last value of an unknown field, and of an object the last of each of its fields", () => {
    expect(messageOf({ odd: "a", own: { a: 1 } }, { odd: "b", own: { b: [2] } }, { own: { b: [3] } })).toEqual({
      odd: "b",
      own: { a: 1, b: [3] },
    });
  });

  it("leaves out empty texts, except the content of a reply without calls", () => {
    expect(messageOf({ content: "", reasoning_content: "" })).toEqual({ content: "" });
    expect(messageOf({ content: "", tool_calls: [call("1", "bash", "{}")] })).not.toHaveProperty("content");
  });

  it("keeps the thoughts of a call even when they are empty, because DeepSeek wants them back", () => {
    const tool_calls = [call("1", "bash", "{}")];
    expect(messageOf({ content: null, reasoning_content: "" }, { tool_calls })).toEqual({
      reasoning_content: "",
      tool_calls: [expect.anything()],
    });
  });

  it("has its thinking joined into the blocks that were signed, as LiteLLM sends the pieces", () => {
    const block = (fields: Fields) => ({
      thinking_blocks: [fields],
      provider_specific_fields: { thinking_blocks: [fields] },
    });
    const blocks = [
      { type: "thinking", thinking: "first thought", signature: "s1" },
      { type: "redacted_thinking", data: "x1" },
      { type: "redacted_thinking", data: "x2" },
      { type: "thinking", thinking: "", signature: "s2" },
      { type: "thinking", thinking: "", signature: "s3" },
      { type: "thinking", thinking: "third", signature: "s4" },
    ];
    expect(
      messageOf(
        block({ type: "thinking", thinking: "first ", signature: null }),
        block({ type: "thinking", thinking: "thought", signature: "" }),
        block({ type: "thinking", thinking: "", signature: "s1" }),
        block({ type: "redacted_thinking", data: "x1" }),
        block({ type: "redacted_thinking", data: "x2" }),
        block({ type: "thinking", thinking: "", signature: "s2" }),
        block({ type: "thinking", thinking: "", signature: "s3" }),
        block({ type: "thinking", thinking: "third" }),
        block({ type: "thinking", thinking: "", signature: "s4" }),
      ),
    ).toEqual({ thinking_blocks: blocks, provider_specific_fields: { thinking_blocks: blocks } });
  });

  it("has its reasoning details joined by their index, and sealed ones kept apart, as OpenRouter sends them", () => {
    const detail = (fields: Fields) => ({ reasoning_details: [fields] });
    const text = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
    const sealed = { type: "reasoning.encrypted", format: "google-gemini-v1", index: 0 };
    expect(
      messageOf(
        detail({ ...text, text: "Let" }),
        detail({ ...text, text: " me" }),
        detail({ ...text, signature: "s" }),
        detail({ ...sealed, id: "a", data: "x" }),
        detail({ ...sealed, id: "b", data: "y" }),
        detail({ ...text, index: 1, text: "see" }),
      ),
    ).toEqual({
      reasoning_details: [
        { ...text, text: "Let me", signature: "s" },
        { ...sealed, id: "a", data: "x" },
        { ...sealed, id: "b", data: "y" },
        { ...text, index: 1, text: "see" },
      ],
    });
  });

  it("has its pictures and notes in order", () => {
    const image = (url: string) => ({ type: "image_url", image_url: { url } });
    const images = messageOf(
      { images: [image("a")], annotations: [{ note: 1 }] },
      { images: [image("b")], annotations: [{ note: 2 }] },
    );
    expect(images).toEqual({ images: [image("a"), image("b")], annotations: [{ note: 1 }, { note: 2 }] });
  });

  it("may think in parts of its content before it speaks in words, as Mistral's do", () => {
    const thinking = (text: string) => ({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] });
    expect(messageOf({ content: "" }, thinking("a"), thinking("b"), { content: "c" }, { content: "d" })).toEqual({
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "ab" }] },
        { type: "text", text: "cd" },
      ],
    });
  });
});

describe("calls in pieces", () => {
  const two = [call("1", "bash", '{"a":1}'), call("2", "read", "{}")];

  it.each<[string, readonly (readonly Fields[])[]]>([
    [
      "by their index, as OpenAI does",
      [
        [{ index: 0, ...call("1", "bash", "") }],
        [{ index: 0, function: { arguments: '{"a"' } }],
        [{ index: 0, function: { arguments: ":1}" } }],
        [{ index: 1, ...call("2", "read", "") }],
        [{ index: 1, function: { arguments: "{}" } }],
      ],
    ],
    [
      "beside one another",
      [
        [
          { index: 0, ...call("1", "bash", "") },
          { index: 1, ...call("2", "read", "{") },
        ],
        [
          { index: 1, function: { arguments: "}" } },
          { index: 0, function: { arguments: '{"a":1}' } },
        ],
      ],
    ],
    [
      "with id and name in each piece",
      [
        [{ index: 0, ...call("1", "bash", '{"a"') }],
        [{ index: 0, ...call("1", "bash", ":1}") }],
        [{ index: 1, ...call("2", "read", "{") }],
        [{ index: 1, ...call("2", "read", "}") }],
      ],
    ],
    [
      "with empty ids and names in later pieces",
      [
        [{ index: 0, ...call("1", "bash", '{"a"') }],
        [{ index: 0, id: "", type: "function", function: { name: "", arguments: ":1}" } }],
        [{ index: 1, id: "2", function: { name: "read", arguments: null } }],
        [{ index: 1, id: null, type: "function", function: { name: null, arguments: "{}" } }],
      ],
    ],
    [
      "with a new id in each piece",
      [
        [{ index: 0, ...call("1", "bash", '{"a"') }],
        [{ index: 0, id: "x", function: { arguments: ":1}" } }],
        [{ index: 1, ...call("2", "read", "{") }],
        [{ index: 1, id: "y", function: { arguments: "}" } }],
      ],
    ],
    ["whole and without an index, as Gemini's do", [[call("1", "bash", '{"a":1}')], [call("2", "read", "{}")]]],
    [
      "in pieces without an index",
      [
        [call("1", "bash", '{"a"')],
        [{ function: { arguments: ":1}" } }],
        [call("2", "read", "{")],
        [{ id: "2", function: { arguments: "}" } }],
      ],
    ],
    [
      "whole under the same index",
      [[{ index: 0, ...call("1", "bash", '{"a":1}') }], [{ index: 0, ...call("2", "read", "{}") }]],
    ],
    [
      "in pieces under the same index, known by their ids",
      [
        [{ index: 0, ...call("1", "bash", '{"a"') }],
        [{ index: 0, ...call("2", "read", "{") }],
        [{ index: 0, id: "1", function: { arguments: ":1}" } }],
        [{ index: 0, id: "2", function: { arguments: "}" } }],
      ],
    ],
  ])("are put together %s", (_, pieces) => {
    expect(callsOf(...pieces)).toEqual(two);
  });

  it("of one tool and without ids are told apart by their index", () => {
    const nameless = (index: number) => ({ index, function: { name: "bash", arguments: "{}" } });
    expect(callsOf([nameless(0)], [nameless(1)])).toHaveLength(2);
  });

  it.each<[string, readonly string[], string]>([
    ["as vLLM ends some for GLM", ['{"a": ', '"x', '"}', '{"a": "x"}'], '{"a": "x"}'],
    ["after a part of them", ["{", '{"a": "x"}'], '{"a": "x"}'],
    ["within which they seem to come again", ['{"a": ', '{"a": 1}', "}"], '{"a": {"a": 1}}'],
    ["that are other ones", ['{"b": 1', '{"a": 1}'], '{"b": 1{"a": 1}'],
  ])("have their arguments counted once, whether or not the last piece repeats them all: %s", (_, texts, expected) => {
    const piece = (text: string, at: number) =>
      at === 0 ? { index: 0, ...call("1", "bash", text) } : { index: 0, id: null, function: { arguments: text } };
    expect(callsOf(...texts.map((text, at) => [piece(text, at)]))).toEqual([call("1", "bash", expected)]);
  });

  it("keep whatever else came with them", () => {
    const extra_content = { google: { thought_signature: "s" } };
    const piece = { index: 0, ...call("1", "bash", "{}"), extra_content };
    expect(callsOf([piece])).toEqual([call("1", "bash", "{}", { extra_content })]);
  });

  it.each<[string, unknown, unknown, readonly Fields[]]>([
    ["in words", '{"a":1}', '{"a":2}', []],
    ["in pieces", '{"a":1}', '{"a"', [{ index: 0, function: { arguments: ":2}" } }]],
    ["as objects", { a: 1 }, { a: 2 }, []],
  ])("of one tool, with one index and no id, are two when the first has its arguments: %s", (_, one, other, rest) => {
    const nameless = (given: unknown) => ({ index: 0, type: "function", function: { name: "bash", arguments: given } });
    const pieces = [nameless(one), nameless(other), ...rest].map((piece) => ({ tool_calls: [piece] }));
    const second = typeof other === "string" ? '{"a":2}' : other;
    expect(messageOf(...pieces)).toMatchObject({
      tool_calls: [{ function: { name: "bash", arguments: one } }, { function: { name: "bash", arguments: second } }],
    });
  });
});

describe("a chat completion in chunks", () => {
  const words = fc.string({ unit: "grapheme" });
  const message = fc.record({
    role: fc.constant("assistant"),
    content: words,
    reasoning: words.filter((text) => text !== ""),
    tool_calls: fc
      .array(fc.tuple(words, fc.json()), { maxLength: 3 })
      .map((calls) => calls.map(([name, text], at) => call(`id${at}`, name || "a", text))),
  });

  it("becomes the completion that it was made of", () => {
    fc.assert(
      fc.property(message, fc.integer({ min: 1, max: 9 }), ({ tool_calls, content, ...others }, size) => {
        const said =
          tool_calls.length === 0
            ? { ...others, content }
            : { ...others, ...(content === "" ? {} : { content }), tool_calls };
        const completion = {
          id: "1",
          model: "m",
          choices: [{ index: 0, message: said, finish_reason: "stop" }],
          usage: { total_tokens: 3 },
        };
        const { object, ...answer } = assembled(chunksOf(completion, size)).answer();
        expect(JSON.parse(JSON.stringify(answer))).toEqual(completion);
      }),
    );
  });

  it("is as long as what was said in it, with a thought under two names counted once", () => {
    const piece = {
      content: "ab",
      reasoning: "cde",
      reasoning_content: "cde",
      provider_specific_fields: { reasoning: "cde" },
    };
    const chunk = JSON.stringify({
      choices: [{ delta: { ...piece, tool_calls: [{ index: 0, ...call("1", "bash", "{}") }] } }],
    });
    expect(assembled([chunk, chunk]).chars).toBe(2 * "abcde{}".length);
    const parts = [
      { type: "thinking", thinking: [{ type: "text", text: "abc" }] },
      { type: "text", text: "de" },
    ];
    expect(assembled([JSON.stringify({ choices: [{ delta: { content: parts } }] })]).chars).toBe(5);
  });

  it("has the usage of its last chunk, and what an earlier one added", () => {
    const { usage } = assembled([
      '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}',
      '{"choices":[],"usage":{"completion_tokens":5,"cost":0.5}}',
    ]).answer();
    expect(usage).toEqual({ prompt_tokens: 1, completion_tokens: 5, cost: 0.5 });
  });

  it.each([
    ["the last event came", ["[DONE]"], [true, true]],
    ["the provider said why it stopped", ['{"choices":[{"delta":{},"finish_reason":"stop"}]}'], [false, true]],
    [
      "words came and no reason to stop",
      ['{"choices":[{"delta":{"content":"a"},"finish_reason":null}]}'],
      [false, false],
    ],
    ["the reason to stop was empty", ['{"choices":[{"delta":{"content":"a"},"finish_reason":""}]}'], [false, false]],
    ["nothing came", [], [false, false]],
  ])("knows whether it is done and whole when %s", (_, events, [isDone, isWhole]) => {
    const assembly = assembled(events);
    expect([assembly.isDone, assembly.isWhole]).toEqual([isDone, isWhole]);
  });

  it.each<[string, string, string | null, Fields]>([
    ["an object", '{"error":{"message":"no","code":429},"choices":[]}', null, { error: { message: "no", code: 429 } }],
    ["named by its event", '{"message":"no"}', "error", { error: { message: "no" } }],
    ["named by its event, in words", "no", "error", { error: "no" }],
    ["of another interface's kind", '{"type":"error","error":{"message":"no"}}', "error", { error: { message: "no" } }],
    ["in a choice", '{"choices":[{"delta":{},"error":{"code":502}}]}', null, { choices: [{ error: { code: 502 } }] }],
  ])("ends with an error: %s", (_, data, name, answer) => {
    const assembly = assembled([data], name);
    expect(assembly.isDone).toBe(true);
    expect(assembly.answer()).toMatchObject(answer);
  });

  it("cannot change an object's kind by its fields", () => {
    const answer = assembled([
      '{"__proto__":{"a":1},"choices":[{"delta":{"__proto__":{"b":1},"content":"c"}}]}',
    ]).answer();
    expect([Reflect.get(answer, "a"), Reflect.get({}, "b")]).toEqual([undefined, undefined]);
  });

  it("takes tens of thousands of calls and details without searching all of them for each", () => {
    const one = (index: number) => ({ tool_calls: [{ index, ...call(`${index}`, "a", "") }], images: [{ index }] });
    const assemble = (count: number) => {
      const deltas = Array.from({ length: count }, (_, index) => ({ choices: [{ delta: one(index) }] }));
      const assembly = assembled(deltas.map((delta) => JSON.stringify(delta)));
      expect(assembly.answer()).toHaveProperty("choices");
    };
    expect(growth(assemble, 3_000, 60_000, 60)).toBeLessThanOrEqual(60);
  });
});
