import { describe, expect, it } from "vitest";
import { scriptedModels } from "../../runner/demo/script/script.js";
import { HttpStatusError, RequestFailed } from "../../runner/model/faults/endpoint-http.js";
import { faultOf } from "../../runner/model/faults/faults.js";
import { Manners } from "../../runner/model/manners.js";
import type { Message } from "../../runner/model/port/model-client.js";
import { Masker } from "../../runner/text/mask.js";
import { Asking, question } from "../helpers/asking.js";
import { endpointsOf, startModel, type Turn } from "../helpers/scripted-model.js";

const done: Turn = { quiet: "hello back" };
const refused = (message: string, status = 400): Turn => ({
  status,
  body: { error: { message, type: "invalid_request_error" } },
});

describe("an endpoint that only streams", () => {
  it.each([
    "This model only support stream mode, please enable the stream parameter to access the model. ",
    "parameter.enable_thinking must be set to false for non-streaming calls",
    "enable thinking can not be support when `stream=False`.",
    "Requests with max_tokens > 4096 must have stream=true",
    "Stream must be set to true",
  ])("is asked for streams from then on: %s", async (message) => {
    await using model = await startModel({ worker: [refused(message), done, done] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    await asking.ask();
    await asking.ask();
    expect(model.requests.map(({ body }) => body.stream)).toEqual([undefined, true, true]);
    expect(model.requests[1]?.body).toMatchObject({ stream_options: { include_usage: true } });
    expect(asking.leftOut).toEqual([
      { parameter: "a reply in one piece", sentInstead: "stream=true", reason: `HTTP 400: ${message.trim()}` },
    ]);
    expect(asking.retries).toEqual([]);
  });

  it("ends the question when it refuses the stream as well", async () => {
    const words = refused("Stream must be set to true");
    await using model = await startModel({ worker: [words, words, done] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    expect(await asking.failure()).toMatchObject({ code: "infra" });
    expect(model.requests).toHaveLength(2);
  });
});

/** A conversation after a reply that said this and called something. */
function callBeside(content: string | null): readonly Message[] {
  return [
    ...question.messages,
    { role: "assistant", content, calls: [{ id: "call_1", name: "bash", arguments: "{}" }], own: null },
    { role: "tool", callId: "call_1", content: "nothing" },
  ];
}

describe("a call without words", () => {
  it.each<[string, string, string | null, string | null]>([
    ["xAI", "Invalid request content: Each message must have at least one content element.", null, ""],
    ["LM Studio", "Invalid 'content': 'content' field must be a string or an array of objects.", null, ""],
    ["One API", "Invalid value for 'content': expected a string, got null.", null, ""],
    ["Anthropic", "ValidationException: messages: text content blocks must be non-empty", "", null],
    [
      "Bedrock",
      "The text field in the ContentBlock object at messages.2.content.1 is blank. Add text to the text field, and try again.",
      " ",
      null,
    ],
  ])("goes back as %s wants it", async (_, message, before, then) => {
    await using model = await startModel({ worker: [refused(message), done, done] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    await asking.ask({ messages: callBeside(before) });
    await asking.ask({ messages: callBeside(before) });
    expect(model.requests.map(({ messages }) => messages[1]?.content)).toEqual([before, then, then]);
    expect(model.requests.map(({ messages }) => messages[0])).toEqual(Array(3).fill(question.messages[0]));
    expect(asking.leftOut.map(({ parameter, sentInstead }) => [parameter, sentInstead])).toEqual([
      [`content: ${JSON.stringify(before?.trim() ?? null)}`, `content: ${JSON.stringify(then)}`],
    ]);
  });

  it("that is not in the request is no reason to ask again", async () => {
    await using model = await startModel({ worker: [refused("Each message must have at least one content element.")] });
    expect(await new Asking(endpointsOf(model.baseUrl)).failure()).toMatchObject({ code: "infra" });
    expect(model.requests).toHaveLength(1);
  });
});

describe("a template that knows one call at a time", () => {
  it.each([400, 500])("gets calls one by one, each before its result: %i", async (status) => {
    const calls = ["a", "b"].map((id) => ({ id, name: "bash", arguments: "{}" }));
    const messages: readonly Message[] = [
      ...question.messages,
      { role: "assistant", content: "I look", calls, own: null },
      ...calls.map(({ id }): Message => ({ role: "tool", callId: id, content: `of ${id}` })),
      { role: "assistant", content: "well", calls: [], own: null },
      { role: "user", content: "go on" },
    ];
    const message = "Jinja Exception: This model only supports single tool-calls at once!";
    await using model = await startModel({ worker: [refused(message, status), done, done] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    await asking.ask({ messages });
    await asking.ask({ messages });
    const called = (id: string, content: string | null) => [
      { role: "assistant", content, tool_calls: [expect.objectContaining({ id })] },
      { role: "tool", tool_call_id: id, content: `of ${id}` },
    ];
    const then = [
      ...question.messages,
      ...called("a", "I look"),
      ...called("b", null),
      { role: "assistant", content: "well" },
      { role: "user", content: "go on" },
    ];
    expect(model.requests.slice(1).map((request) => request.messages)).toEqual([then, then]);
    expect([asking.leftOut.length, asking.retries.length]).toEqual([1, 0]);
  });
});

describe("an endpoint that wants the thoughts of each reply back", () => {
  it.each([
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
    "Missing `reasoning_content` field in the assistant message at message index 4. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
    "Error from provider (DeepSeek): The `reasoning_content` in the thinking mode must be passed back to the API.",
  ])("gets them under that name, and a word where there were none: %s", async (message) => {
    await using model = await startModel({ worker: [refused(message), done, done] });
    const by = `chat ${model.baseUrl} ${scriptedModels.worker}`;
    const thoughts = [{ reasoning_content: "why" }, { reasoning: "why not" }, {}];
    const messages = thoughts.flatMap((fields): Message[] => [
      ...question.messages,
      { role: "assistant", content: "I look", calls: [], own: { by, fields, calls: [] } },
    ]);
    const asking = new Asking(endpointsOf(model.baseUrl));
    await asking.ask({ messages });
    await asking.ask({ messages });
    const sent = model.requests.map((request) => request.messages.map((one) => Reflect.get(one, "reasoning_content")));
    const none = undefined;
    expect(sent).toEqual([
      [none, "why", none, none, none, none],
      ...Array(2).fill([none, "why", none, "why not", none, "(none)"]),
    ]);
    expect(asking.leftOut).toHaveLength(1);
  });
});

describe("a call that Gemini wants signed", () => {
  const bad = "skip_thought_signature_validator";
  const messagesAt = (baseUrl: string): readonly Message[] =>
    [{ extra_content: { google: { thought_signature: "SIG" } } }, { extra_content: { vertex: {} } }, {}].flatMap(
      (own, at): Message[] => [
        ...question.messages,
        {
          role: "assistant",
          content: null,
          calls: [{ id: `call_${at}`, name: "bash", arguments: "{}" }],
          own: { by: `chat ${baseUrl} ${scriptedModels.worker}`, fields: {}, calls: [own] },
        },
        { role: "tool", callId: `call_${at}`, content: "nothing" },
      ],
    );

  it.each([
    ["Function call is missing a thought_signature in functionCall parts.", ["SIG", bad, bad]],
    ["function call `default_api:bash` in the 12. content block is missing a `thought_signature`.", ["SIG", bad, bad]],
    ["Corrupted thought signature.", [bad, bad, bad]],
    ["Unable to submit request because Thought signature is not valid.", [bad, bad, bad]],
  ])("gets Google's word for no signature: %s", async (message, signatures) => {
    await using model = await startModel({ worker: [refused(message), done, done] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    await asking.ask({ messages: messagesAt(model.baseUrl) });
    await asking.ask({ messages: messagesAt(model.baseUrl) });
    const calls = model.requests.map((request) => request.messages.flatMap((one) => one.tool_calls ?? []));
    const signed = calls.map((all) => all.map((call) => Reflect.get(call, "extra_content")));
    const [first, second, third] = signatures;
    const then = [
      { google: { thought_signature: first } },
      { vertex: { thought_signature: second } },
      { google: { thought_signature: third } },
    ];
    expect(signed.slice(1)).toEqual([then, then]);
    expect(asking.leftOut).toHaveLength(1);
  });
});

describe("an endpoint that refuses a tool's schema", () => {
  const description = "first line";
  const optional = (type: string, more: object = {}) => ({ anyOf: [{ type, ...more }, { type: "null" }], description });
  const schema = {
    type: "object",
    properties: {
      path: { type: "string" },
      offset: optional("integer", { minimum: 1, maximum: 9 }),
      minimum: optional("array", { items: optional("string"), maxItems: 3 }),
    },
    required: ["path"],
    additionalProperties: false,
  };
  const plain = {
    type: "object",
    properties: {
      path: { type: "string" },
      offset: { type: "integer", description },
      minimum: { type: "array", items: { type: "string", description }, description },
    },
    required: ["path"],
  };

  it.each([
    [
      "Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters': Cannot find field.",
      400,
    ],
    [
      "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'root': when using anyOf, type should be defined in anyOf items instead of the parent schema>",
      400,
    ],
    ["Failed to initialize samplers: failed to parse grammar", 400],
    ["Error: Unknown (built-in) filter 'upper' for type Array", 500],
    ['Error rendering prompt with jinja template: Cannot apply filter "upper" to type: UndefinedValue', 400],
  ])("gets a plain one: %s", async (message, status) => {
    const tools = [{ name: "read", description: "reads", parameters: schema }];
    await using model = await startModel({ worker: [refused(message, status), done, done] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    await asking.ask({ tools });
    await asking.ask({ tools });
    const sent = model.requests.map(({ body }) => body.tools);
    const as = (parameters: object) => [{ type: "function", function: { ...tools[0], parameters } }];
    expect(sent).toEqual([as(schema), as(plain), as(plain)]);
    expect(asking.leftOut).toHaveLength(1);
  });

  it("gets a plain one through the Responses interface too", async () => {
    const tool = { type: "function", name: "read", strict: false };
    const words = JSON.stringify({ error: { message: "failed to parse grammar" } });
    const fault = faultOf(new RequestFailed(new HttpStatusError(400, new Headers(), words)), new Masker([]));
    if (fault === null) throw new Error("no fault");
    const manners = new Manners();
    const body = { model: "m", tools: [{ ...tool, parameters: schema }] };
    expect(manners.learn(body, fault, "responses")).toHaveLength(1);
    expect(manners.apply(body, "responses")).toEqual({ model: "m", tools: [{ ...tool, parameters: plain }] });
  });
});

describe("item ids of the Responses interface", () => {
  it.each([
    [
      "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
      404,
    ],
    ["Invalid 'input[1].id': 'item_1'. Expected an ID that begins with 'fc'.", 400],
  ])("are left out where they are refused: %s", (message, status) => {
    const reasoning = { type: "reasoning", summary: [], encrypted_content: "sealed" };
    const call = { type: "function_call", call_id: "call_1", name: "bash", arguments: "{}" };
    const result = { type: "function_call_output", call_id: "call_1", output: "nothing" };
    const body = { model: "m", input: [{ id: "rs_1", ...reasoning }, { id: "item_1", ...call }, result] };
    const error = new RequestFailed(new HttpStatusError(status, new Headers(), message));
    const fault = faultOf(error, new Masker([]));
    if (fault === null) throw error;
    const manners = new Manners();
    expect(manners.learn(body, fault, "responses")).toEqual([{ parameter: "ids of items", sentInstead: null }]);
    expect(manners.apply(body, "responses")).toEqual({ model: "m", input: [reasoning, call, result] });
  });

  it("stay when reasoning that belongs to them is missing, because leaving them out would hide the loss", () => {
    const words = "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.";
    const fault = faultOf(new RequestFailed(new HttpStatusError(400, new Headers(), words)), new Masker([]));
    if (fault === null) throw new Error("no fault");
    const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "bash", arguments: "{}" };
    expect(new Manners().learn({ model: "m", input: [call] }, fault, "responses")).toEqual([]);
  });
});

describe("an endpoint whose calls have ids of 9 letters and digits", () => {
  it.each([
    ["Mistral", "Tool call id was call_0fypS1hVX but must be a-z, A-Z, 0-9, with a length of 9.", 400],
    ["a template", "Jinja Exception: Tool call IDs should be alphanumeric strings with length 9!", 500],
  ])("gets no others: %s", async (_, message, status) => {
    const [fitting, other] = ["aB3dE6gH9", "d2c1a0b9-7d54-4d1c-a5b7-5d9f0f1e2d3c"];
    const messages: readonly Message[] = [
      ...question.messages,
      {
        role: "assistant",
        content: null,
        calls: [fitting, other].map((id) => ({ id, name: "bash", arguments: "{}" })),
        own: null,
      },
      ...[fitting, other].map((callId): Message => ({ role: "tool", callId, content: "nothing" })),
    ];
    await using model = await startModel({ worker: [refused(message, status), done, done] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    await asking.ask({ messages });
    await asking.ask({ messages });
    const [sent, first, second] = model.requests.map((request) => JSON.stringify(request.messages));
    const [, short = ""] = /"tool_call_id":"([a-z0-9]{9})","content":"nothing"\}\]$/.exec(first ?? "") ?? [];
    expect([first, second]).toEqual(Array(2).fill(sent?.replaceAll(other, short)));
    expect([asking.leftOut.length, asking.retries.length]).toEqual([1, 0]);
  });
});
