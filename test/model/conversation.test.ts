import { describe, expect, it } from "vitest";
import type { ScriptedRequest } from "../../runner/demo/script/script.js";
import { parseLearning } from "../../runner/dialogue/self-improve.js";
import type { Message } from "../../runner/model/port/model-client.js";
import { Asking, question } from "../helpers/asking.js";
import { canaryKey, endpointsOf, startModel, type Turn } from "../helpers/scripted-model.js";

async function replyTo(turn: Turn) {
  await using model = await startModel({ worker: [turn] });
  return await new Asking(endpointsOf(model.baseUrl)).ask();
}

async function sent(messages: readonly Message[], apiKey: string | null = canaryKey): Promise<ScriptedRequest> {
  await using model = await startModel();
  await new Asking(endpointsOf(model.baseUrl, apiKey)).ask({ messages });
  const [request] = model.requests;
  if (!request) throw new Error("nothing was sent");
  return request;
}

const call = (id: unknown, args: unknown, name: unknown = "bash") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const saying = (...tool_calls: unknown[]) => ({ message: { role: "assistant", content: null, tool_calls } });

describe("a reply", () => {
  it.each([undefined, null, "", " ", 7, "x".repeat(41), "x".repeat(70_000), "a b", "a\n", "ü"])(
    "has a call with the id %j given an id of ours",
    async (id) => {
      const { message } = await replyTo(saying(call(id, "{}")));
      expect(message.calls[0]?.id).toMatch(/^call_[0-9a-f]{24}$/);
    },
  );

  it.each(["functions.bash:0", "toolu_01-AbC", "call|fc_1"])("keeps an id like %s as it is", async (id) => {
    const { message } = await replyTo(saying(call(id, "{}")));
    expect(message.calls[0]?.id).toBe(id);
  });

  it("has an id replaced that came before in it or in the conversation, and keeps a new one", async () => {
    await using model = await startModel({ worker: [saying(call("a", "{}"), call("b", "{}"), call("b", "{}"))] });
    const earlier = { id: "a", name: "bash", arguments: "{}" };
    const messages: Message[] = [
      ...question.messages,
      { role: "assistant", content: null, calls: [earlier], own: null },
      { role: "tool", callId: "a", content: "ok" },
    ];
    const { message } = await new Asking(endpointsOf(model.baseUrl)).ask({ messages });
    const ids = message.calls.map(({ id }) => id);
    expect(ids[1]).toBe("b");
    expect(new Set([...ids, "a"]).size).toBe(4);
  });

  it("keeps 2,048 calls at most, with the last among them, which shows where a reply was cut off", async () => {
    const all = Array.from({ length: 5_000 }, (_, n) => call(`c${n}`, `{"n":${n}}`));
    const { message, callsDropped, usage } = await replyTo({ ...saying(...all), usage: null });
    expect([message.calls.length, callsDropped]).toEqual([2_048, 5_000 - 2_048]);
    expect([message.calls.at(-2)?.id, message.calls.at(-1)?.id]).toEqual(["c2046", "c4999"]);
    const kept = await replyTo({ ...saying(...all.slice(0, 2_048)), usage: null });
    expect([kept.message.calls.length, kept.callsDropped]).toEqual([2_048, undefined]);
    expect(usage.evalTokens).toBeGreaterThan(2 * kept.usage.evalTokens);
  });

  it("gives arguments as raw text, or as the JSON of what came instead", async () => {
    const { message } = await replyTo(
      saying(call("a", '{"x": 1'), call("b", { command: "ls" }), call("c", [1]), call("d", undefined)),
    );
    expect(message.calls.map((one) => one.arguments)).toEqual(['{"x": 1', '{"command":"ls"}', "[1]", ""]);
  });

  it("takes entries that are no calls for calls without a name", async () => {
    const { message } = await replyTo(saying(null, "bash", call("a", "{}", 7)));
    expect(message.calls.map((one) => one.name)).toEqual(["", "", ""]);
  });

  it("joins words and calls that come in separate choices", async () => {
    const choice = (message: object) => ({ finish_reason: "tool_calls", message: { role: "assistant", ...message } });
    const choices = [
      choice({ content: "I look." }),
      choice({ content: null, tool_calls: [call("toolu_1", '{"command":"ls"}')] }),
      choice({ tool_calls: [call("toolu_2", '{"command":"pwd"}')] }),
    ];
    const { message, finishReason } = await replyTo({ status: 200, body: { choices } });
    expect([message.content, message.calls.map(({ id }) => id)]).toEqual(["I look.", ["toolu_1", "toolu_2"]]);
    expect(finishReason).toBe("tool_calls");
  });

  it.each([
    ["in the choice, as Moonshot's streams do", { usage: { prompt_tokens: 19, completion_tokens: 13 } }, {}],
    ["in a field of Groq's own", {}, { x_groq: { id: "req_1", usage: { prompt_tokens: 19, completion_tokens: 13 } } }],
  ])("may state its usage %s", async (_, inChoice, around) => {
    const choices = [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop", ...inChoice }];
    const { usage } = await replyTo({ status: 200, body: { choices, ...around } });
    expect(usage).toMatchObject({ promptTokens: 19, evalTokens: 13, estimated: false });
  });

  it("joins content in parts to one text", async () => {
    const content = [{ type: "text", text: "one " }, "two", { type: "image_url" }];
    expect((await replyTo({ message: { content } })).message.content).toBe("one two");
  });

  it.each<[string, Turn]>([
    ["choices: []", { status: 200, body: { choices: [] } }],
    ["a null message", { message: null }],
    ["null content", { empty: true }],
  ])("of %s has nothing in it", async (_, turn) => {
    const { message, reasoningText } = await replyTo(turn);
    expect({ message, reasoningText }).toEqual({
      message: { role: "assistant", content: null, calls: [], own: null },
      reasoningText: null,
    });
  });

  it.each(["length", "max_tokens", "MAX_TOKENS"])("is cut off when its finish reason is %s", async (finish) => {
    expect((await replyTo({ quiet: "x", finish })).finishReason).toBe("length");
  });

  it("gives reasoning as text for the log and as fields for the provider", async () => {
    const reasoning_details = [
      { type: "reasoning.text", text: "first" },
      { type: "x", data: "signed", summary: "then" },
    ];
    const reply = await replyTo({ message: { content: "x", reasoning_details, reasoning_content: null } });
    expect(reply.reasoningText).toBe("first\nthen");
    expect(reply.message.own?.fields).toEqual({ reasoning_details });
  });

  it.each<[string, object, string | null, boolean]>([
    ["thinking blocks", { thinking_blocks: [{ type: "thinking", thinking: "so", signature: "s" }] }, "so", true],
    ["thoughts among the content", { content: [{ type: "thinking", thinking: [{ text: "so" }] }] }, "so", true],
    ["GitHub Copilot's word", { reasoning_text: "so", reasoning_opaque: "x" }, "so", true],
    ["what is sealed", { reasoning_details: [{ type: "reasoning.encrypted", data: "x" }] }, null, true],
    ["a sentence that is null and one that is not", { reasoning: null, reasoning_content: "so" }, "so", true],
    ["blanks and empty lists", { reasoning: " \n", reasoning_details: [] }, " \n", false],
    ["a field of another kind", { annotations: [{ type: "x" }] }, null, false],
  ])("tells whether the model has reasoned, and in what words: %s", async (_, message, words, hasReasoned) => {
    const reply = await replyTo({ message: { content: null, ...message } });
    expect([reply.reasoningText, reply.hasReasoned]).toEqual([words, hasReasoned]);
  });

  it("has a key masked that shows only when parts of a text are joined, or when its JSON is read", async () => {
    const parts = [canaryKey.slice(0, 9), canaryKey.slice(9)].map((text) => ({ type: "text", text }));
    expect((await replyTo({ message: { content: parts } })).message.content).toBe("[masked key]");
    const learning = canaryKey.replace("C", "\\u0043");
    const { message } = await replyTo({ quiet: `\`\`\`json\n{"propose": "yes", "learning": "${learning}"}\n\`\`\`` });
    expect(parseLearning(message.content ?? "")).toEqual({ emitted: true, entry: "[masked key]" });
  });

  it("has a key masked wherever an endpoint repeats it", async () => {
    const escaped = `{"command": "echo ${canaryKey.replace("C", "\\u0043")}"}`;
    const reply = await replyTo({
      message: {
        content: `you sent ${canaryKey}`,
        reasoning: Buffer.from(`Bearer ${canaryKey}`).toString("base64"),
        tool_calls: [
          call("a", escaped),
          call("b", { path: canaryKey }),
          call(`c-${canaryKey}`, "{}", canaryKey),
          call("d", escaped.slice(0, -1)),
        ],
      },
      finish: `stopped for ${canaryKey}`,
    });
    const raw = JSON.stringify(reply);
    expect(raw).not.toContain(canaryKey);
    expect(raw.match(/masked key/g)?.length).toBeGreaterThanOrEqual(5);
    const [torn = "", ...whole] = reply.message.calls.map(({ arguments: text }) => text).reverse();
    for (const text of [...whole, `${torn}}`]) expect(JSON.stringify(JSON.parse(text))).not.toContain(canaryKey);
    expect(raw).not.toContain(Buffer.from(canaryKey).toString("base64").slice(4, 20));
  });

  it.each<[string, object | null | undefined, boolean]>([
    ["good", { prompt_tokens: 10, completion_tokens: 5 }, false],
    ["missing", undefined, true],
    ["null", null, true],
    ["negative", { prompt_tokens: -1, completion_tokens: 5 }, true],
    ["beyond reason", { prompt_tokens: 10, completion_tokens: 1e10 }, true],
    ["text", { prompt_tokens: "10", completion_tokens: 5 }, true],
  ])("with usage that is %s (%j) has it estimated: %s", async (_, usage, estimated) => {
    const choices = [{ message: { content: "x".repeat(400) }, finish_reason: "stop" }];
    const reply = await replyTo({ status: 200, body: { choices, usage } });
    expect(reply.usage.estimated).toBe(estimated);
    expect(reply.usage.promptTokens).toBeGreaterThan(0);
    expect(reply.usage.evalTokens).toBe(
      usage && "completion_tokens" in usage && usage.completion_tokens === 5 ? 5 : 100,
    );
  });

  it.each([
    [0.25, 0.25],
    [undefined, null],
    [-1, null],
  ])("with a reported cost of %s costs %s", async (cost, expected) => {
    expect((await replyTo({ quiet: "x", ...(cost === undefined ? {} : { cost }) })).cost).toBe(expected);
  });

  it("has its cost read from a gateway's header", async () => {
    const headers = { "x-litellm-response-cost": "0.00125", "x-other": "1" };
    expect((await replyTo({ status: 200, headers, body: { choices: [] } })).cost).toBe(0.00125);
  });
});

describe("a request", () => {
  it("takes a reply back with its calls, mended", async () => {
    const calls = [
      { id: "a", name: "bash", arguments: '{"command": "ls"}' },
      { id: "b", name: "no such tool!", arguments: '{"cut": ' },
      { id: "c", name: "", arguments: "[1]" },
    ];
    const { body } = await sent([{ role: "assistant", content: null, calls, own: null }]);
    expect(body.messages).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "a", type: "function", function: { name: "bash", arguments: '{"command": "ls"}' } },
          { id: "b", type: "function", function: { name: "no_such_tool_", arguments: "{}" } },
          { id: "c", type: "function", function: { name: "unnamed", arguments: "{}" } },
        ],
      },
    ]);
  });

  it.each([null, "", "\n\n"])("takes a reply of nothing but thoughts back with a word in it: %j", async (content) => {
    const { body } = await sent([
      { role: "user", content: "go on" },
      { role: "assistant", content, calls: [], own: null },
      { role: "user", content: "and on" },
    ]);
    expect(body.messages).toEqual([
      { role: "user", content: "go on" },
      { role: "assistant", content: "(empty)" },
      { role: "user", content: "and on" },
    ]);
  });

  it("contains no key that a file or a tool holds", async () => {
    const { body } = await sent([
      { role: "user", content: `AGENTS.md says ${canaryKey}` },
      { role: "tool", callId: "a", content: `.env: ${canaryKey}` },
    ]);
    expect(JSON.stringify(body)).not.toContain(canaryKey);
  });

  it("carries the key, and nothing about the host", async () => {
    const request = await sent(question.messages);
    expect(request.authorization).toBe(`Bearer ${canaryKey}`);
    expect(Object.keys(request.headers).filter((name) => /stainless|openai/.test(name))).toEqual([]);
    // many a firewall in front of an endpoint answers a request without a name with 403
    expect(request.headers["user-agent"]).toBe("tilth");
    expect(Object.keys(request.body)).toEqual(["model", "messages", "tools"]);
  });

  it("to a keyless endpoint carries no authorization", async () => {
    expect((await sent(question.messages, null)).authorization).toBeNull();
  });

  it("of each role goes to its own endpoint with its own key", async () => {
    await using mine = await startModel();
    await using other = await startModel();
    const endpoints = {
      ...endpointsOf(mine.baseUrl),
      evaluator: endpointsOf(other.baseUrl, "sk-of-the-other").evaluator,
    };
    const asking = new Asking(endpoints);
    await asking.ask();
    await asking.ask({ role: "evaluator" });
    await asking.ask({ role: "interviewer" });
    expect(mine.requests.map((request) => request.role)).toEqual(["worker", "interviewer"]);
    expect(other.requests.map((request) => request.authorization)).toEqual(["Bearer sk-of-the-other"]);
  });

  it("is refused without repeating its key when no header can carry that", () => {
    const open = () => new Asking(endpointsOf("http://127.0.0.1:9/v1", "sk-two\nlines"));
    expect(open).toThrow(expect.objectContaining({ code: "usage", message: expect.not.stringContaining("two") }));
  });
});
