import { describe, expect, it } from "vitest";
import type { Message } from "../../runner/model/port/model-client.js";
import { decodeResponse } from "../../runner/model/responses/decode.js";
import { encodeForResponses } from "../../runner/model/responses/encode.js";
import { NotACompletion, ProviderError } from "../../runner/model/wire/answer.js";
import type { Fields } from "../../runner/model/wire/fields.js";
import { RequestParts } from "../../runner/model/wire/request-parts.js";
import { untuned } from "../../runner/settings/endpoints.js";
import { Masker } from "../../runner/text/mask.js";
import { canaryKey } from "../helpers/scripted-model.js";

const masker = new Masker([canaryKey]);
const provider = "responses p m";
const endpoint = { baseUrl: "http://p", apiKey: null, model: "m", api: "responses" as const, tuning: untuned };

const sealed = (id: string) => ({ type: "reasoning", id, summary: [], encrypted_content: `sealed ${id}` });
const call = (id: unknown, more: object = {}) => ({
  type: "function_call",
  id: "fc_1",
  call_id: id,
  name: "bash",
  arguments: '{"command":"ls"}',
  status: "completed",
  ...more,
});
const words = (text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});

function heard(output: readonly unknown[] | undefined, more: object = {}, takenIds: ReadonlySet<string> = new Set()) {
  const given = { model: "m", status: "completed", output, ...more };
  const body = "raw" in more ? String(more.raw) : JSON.stringify(given);
  return decodeResponse(body, new Headers(), { masker, provider, takenIds, model: "m", promptChars: 400 });
}

/** The items in which a request sends back a reply and the answers to its calls. */
function sentBack(output: readonly unknown[], by = provider): readonly Fields[] {
  const { message } = heard(output);
  const answers = message.calls.map(({ id }): Message => ({ role: "tool", callId: id, content: "done" }));
  const request = { role: "worker" as const, messages: [message, ...answers], tools: [] };
  return encodeForResponses(request, { endpoint, provider: by, extras: {}, parts: new RequestParts() }, masker)
    .input as readonly Fields[];
}

function nested(levels: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const done = (id: string) => ({ type: "function_call_output", call_id: id, output: "done" });

describe("a reply of the Responses interface", () => {
  it("has words, calls and thoughts", () => {
    const thought = { ...sealed("rs_1"), summary: [{ type: "summary_text", text: "First." }] };
    const { message, reasoningText, hasReasoned, finishReason } = heard([thought, words("I look."), call("call_1")]);
    expect(message).toMatchObject({ content: "I look.", calls: [{ id: "call_1", name: "bash" }] });
    expect([reasoningText, hasReasoned, finishReason]).toEqual(["First.", true, "tool_calls"]);
  });

  it.each<[string, object, string]>([
    ["is cut at its length", { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length"],
    ["was filtered", { status: "incomplete", incomplete_details: { reason: "content_filter" } }, "content_filter"],
    ["is whole", {}, "stop"],
    ["does not say why it ended", { status: null }, "stop"],
  ])("that %s has the right finish reason", (_, more, finish) => {
    expect(heard([words("x")], more).finishReason).toBe(finish);
  });

  it("may have nothing in it, and may be a refusal", () => {
    expect(heard([])).toMatchObject({ message: { content: null, calls: [], own: null }, hasReasoned: false });
    const refusal = { ...words(""), content: [{ type: "refusal", refusal: "I will not." }] };
    expect(heard([refusal]).message.content).toBe("I will not.");
  });

  it.each<[string, object]>([
    ["no items", { output: undefined }],
    ["a chat completion", { output: undefined, choices: [] }],
    ["a reply that is still being made", { output: [], status: "in_progress" }],
    [
      "items nested too deep to be read",
      { raw: `{"output": [{"type": "x", "deep": ${"[".repeat(50_000)}${"]".repeat(50_000)}}]}` },
    ],
    ["no JSON", { raw: "<html>" }],
  ])("is not accepted from an answer like this: %s", (_, more) => {
    expect(() => heard(undefined, more)).toThrow(NotACompletion);
  });

  it("goes back as words and calls when its items are nested too deep, and what is no item is left alone", () => {
    const { message, fieldsDropped } = heard([{ ...words("x"), deep: nested(100) }, [], "x", null, 7, {}]);
    expect([message.content, message.own, fieldsDropped]).toEqual(["x", null, ["output"]]);
    expect(sentBack([words("x"), [], "x", null, 7, {}])).toEqual([words("x")]);
  });

  it("keeps the long ids of its calls and their answers together when its items stay away", () => {
    const long = `call_1__thought__${"x".repeat(60)}`;
    const items = sentBack([{ ...words("x"), large: "l".repeat(2_000_001) }, call(long)]);
    expect(items.map(({ type, call_id }) => [type, call_id])).toEqual([
      [undefined, undefined],
      ["function_call", long],
      ["function_call_output", long],
    ]);
  });

  it.each<[object, number | null]>([
    [{ code: "rate_limit_exceeded", message: "slow down" }, 429],
    [{ code: "insufficient_quota", message: "You exceeded your current quota" }, 429],
    [{ code: "server_error", message: "oh" }, 500],
    [{ code: "invalid_prompt", message: "your prompt was flagged" }, 400],
    [{ code: "another", message: "oh" }, null],
    [{ code: 503, message: "oh" }, 503],
  ])("that failed with %j is a fault of status %s", (error, status) => {
    const failure = () => heard([], { status: "failed", error });
    expect(failure).toThrow(ProviderError);
    expect(failure).toThrow(expect.objectContaining({ status }));
  });

  it("holds no key, wherever the endpoint put it", () => {
    const output = [
      { ...sealed("rs_1"), encrypted_content: canaryKey, summary: [{ text: canaryKey }] },
      words(canaryKey),
      call(`call_${canaryKey}`, { name: canaryKey, arguments: JSON.stringify({ path: canaryKey }), [canaryKey]: 1 }),
    ];
    for (const held of [heard(output), sentBack(output)]) {
      expect(JSON.stringify(held)).not.toContain(canaryKey);
      expect(JSON.stringify(held)).toContain("masked key");
    }
    expect(() => heard([], { error: { code: "server_error", message: canaryKey } })).toThrow(/masked key/);
  });
});

describe("a reply sent back through the Responses interface", () => {
  it("has each item as it came, in its place", () => {
    const output = [sealed("rs_1"), words("I look."), sealed("rs_2"), call("a"), call("b", { id: "fc_2", new: 1 })];
    expect(sentBack(output)).toEqual([...output, done("a"), done("b")]);
  });

  it("has a call's own id where another stands in for it, and ours where there was none to keep", () => {
    const long = "x".repeat(70);
    const [first, second, third, ...answers] = sentBack([call(long), call(long), call("a b")]);
    expect(first?.call_id).toBe(long);
    for (const item of [second, third]) expect(item?.call_id).toMatch(/^call_[0-9a-f]{24}$/);
    expect(answers.map(({ call_id }) => call_id)).toEqual([first, second, third].map((item) => item?.call_id));
  });

  it("has arguments and names that are accepted, whatever the model made of them", () => {
    const [torn, odd] = sentBack([call("a", { arguments: '{"cut": ' }), call("b", { name: "no such tool!" })]);
    expect([torn?.arguments, odd?.name]).toEqual(["{}", "no_such_tool_"]);
  });

  it("has no reasoning that nobody there could look up, nor ids that would ask for it", () => {
    const { encrypted_content: _, ...unsealed } = sealed("rs_1");
    const { id: __, ...plain } = call("a");
    expect(sentBack([unsealed, call("a")])).toEqual([plain, done("a")]);
    const inWords = { ...unsealed, content: [{ type: "reasoning_text", text: "so" }] };
    expect(sentBack([inWords, call("a")])[0]).toEqual(inWords);
  });

  it("leaves out reasoning that nothing follows", () => {
    expect(sentBack([sealed("rs_1")])).toEqual([]);
    expect(sentBack([words("x"), sealed("rs_2")])).toEqual([words("x")]);
  });

  it("has words and calls alone for another provider", () => {
    expect(sentBack([sealed("rs_1"), words("I look."), call("a")], "chat p m")).toEqual([
      { role: "assistant", content: "I look." },
      { type: "function_call", call_id: "a", name: "bash", arguments: '{"command":"ls"}' },
      done("a"),
    ]);
  });

  it("has 2,048 calls at most, with the last among them", () => {
    const output = Array.from({ length: 3_000 }, (_, n) => call(`c${n}`));
    const calls = sentBack(output).filter(({ type }) => type === "function_call");
    expect([calls.length, calls.at(-1)?.call_id]).toEqual([2_048, "c2999"]);
    expect(heard(output).callsDropped).toBe(3_000 - 2_048);
  });
});
