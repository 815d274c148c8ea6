import { describe, expect, it } from "vitest";
import { scriptedModels } from "../../runner/demo/script/script.js";
import { refusalIn } from "../../runner/model/faults/refusal.js";
import { Omissions } from "../../runner/model/left-out.js";
import { ContextFull, type Message } from "../../runner/model/port/model-client.js";
import type { Fields } from "../../runner/model/wire/fields.js";
import { type Endpoints, type Tuning, untuned } from "../../runner/settings/endpoints.js";
import { Asking, question } from "../helpers/asking.js";
import { AzureHere } from "../helpers/azure-here.js";
import { growth } from "../helpers/quickest.js";
import { noRefusals, type PublishedRefusal, refusedFields, refusedParameters } from "../helpers/refusals.js";
import { canaryKey, endpointsOf, startModel, type Turn } from "../helpers/scripted-model.js";

const done: Turn = { quiet: "hello back" };
const tuning: Tuning = { reasoningEffort: "high", maxOutputTokens: 4_000, temperature: 0.2 };
/** The tuning as it is sent to a server that knows the limit of tokens by this name. */
const valuesBy = (limit: string): Record<string, unknown> => ({
  reasoning_effort: "high",
  [limit]: 4_000,
  temperature: 0.2,
  ...extrasBy(limit),
});
const extrasBy = (limit: string) => (limit === newer ? { prompt_cache_key: expect.stringMatching(/^tilth-/) } : {});
const older = "max_tokens";
const newer = "max_completion_tokens";
/** The address of a scripted model that knows the limit by this name. */
const addressBy = (limit: string, baseUrl: string, azure: AzureHere) => (limit === newer ? azure.of(baseUrl) : baseUrl);

const earlierAt = (baseUrl: string): readonly Message[] => [
  { role: "user", content: "hello" },
  {
    role: "assistant",
    content: "looking",
    calls: [{ id: "call_1", name: "bash", arguments: "{}" }],
    own: {
      by: `chat ${baseUrl} ${scriptedModels.worker}`,
      fields: { reasoning_content: "why not", reasoning: "kept" },
      calls: [{}],
    },
  },
  { role: "tool", callId: "call_1", content: "nothing" },
];

function tuned(baseUrl: string, its: Tuning = tuning): Endpoints {
  const endpoints = endpointsOf(baseUrl);
  return { ...endpoints, worker: { ...endpoints.worker, tuning: its } };
}

function turn({ status = 400, body }: Pick<PublishedRefusal, "status" | "body">): Turn {
  return { status, body };
}

function own(body: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  const { model: _, messages: __, tools: ___, ...rest } = body ?? {};
  return rest;
}

function without(values: Record<string, unknown>, name: string, instead?: string): Record<string, unknown> {
  const { [name]: value, ...rest } = values;
  return instead === undefined ? rest : { ...rest, [instead]: value };
}

const toolsWithEffort = (model = "gpt-5.6-terra") => ({
  error: {
    message: `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
    type: "invalid_request_error",
    param: "reasoning_effort",
    code: null,
  },
});

describe("a refused parameter", () => {
  it.each(refusedParameters.map((one) => [one.by, one] as const))(
    "is left out at once, reported once and not sent again: %s",
    async (_, refusal) => {
      const { parameter, sentInstead } = refusal;
      const limit = parameter === newer ? newer : older;
      const values = valuesBy(limit);
      using azure = new AzureHere();
      await using model = await startModel({ worker: [turn(refusal), done, done] });
      const asking = new Asking(tuned(addressBy(limit, model.baseUrl, azure)));
      expect((await asking.ask()).message.content).toBe("hello back");
      await asking.ask();
      const expected = without(values, parameter, sentInstead);
      expect(model.requests.map(({ body }) => own(body))).toEqual([values, expected, expected]);
      expect(asking.leftOut).toEqual([
        { parameter, sentInstead: sentInstead ?? null, reason: expect.stringMatching(/^HTTP 4\d\d: ./) },
      ]);
      expect([asking.retries, asking.clock.slept]).toEqual([[], []]);
    },
  );

  it.each([
    [newer, older],
    [older, newer],
  ])(
    "is followed by its successor, which is left out too, and a third refusal is final: %s, then %s",
    async (first, second) => {
      const refuse = (name: string): Turn => ({
        status: 400,
        body: { error: { message: `Unsupported parameter: '${name}' is not supported with this model.`, param: name } },
      });
      using azure = new AzureHere();
      await using model = await startModel({ worker: [refuse(first), refuse(second), refuse(second)] });
      const baseUrl = addressBy(first, model.baseUrl, azure);
      const asking = new Asking(tuned(baseUrl, { ...untuned, maxOutputTokens: 4_000 }));
      expect(await asking.failure()).toMatchObject({ code: "infra", message: expect.stringContaining(`'${second}'`) });
      expect(model.requests.map(({ body }) => own(body))).toEqual([
        { [first]: 4_000, ...extrasBy(first) },
        { [second]: 4_000, ...extrasBy(first) },
        extrasBy(first),
      ]);
      expect(asking.leftOut.map(({ parameter, sentInstead }) => [parameter, sentInstead])).toEqual([
        [first, second],
        [second, null],
      ]);
    },
  );

  it("ends the question with the message and the hint of any other 400 when it is refused again", async () => {
    const refused = turn({ body: { error: { message: "Unsupported value: 'temperature'", param: "temperature" } } });
    await using model = await startModel({ worker: [refused, refused] });
    const asking = new Asking(tuned(model.baseUrl));
    expect(await asking.failure()).toMatchObject({
      code: "infra",
      message: `the model endpoint ${model.baseUrl} gave no reply: HTTP 400: Unsupported value: 'temperature'`,
      hint: "Check TILTH_BASE_URL and TILTH_WORKER_MODEL.",
    });
    expect(model.requests).toHaveLength(2);
    expect(asking.leftOut).toHaveLength(1);
  });

  it.each([
    "litellm.UnsupportedParamsError: x does not support parameters: ['reasoning_effort', 'temperature']",
    "Parameters 'reasoning_effort' and 'temperature' are not supported by this model",
    "Unsupported parameters: reasoning_effort and temperature",
    "This model does not support the parameters reasoning_effort, and temperature",
  ])("is left out together with others that the same answer names: %s", async (message) => {
    await using model = await startModel({ worker: [turn({ body: { error: { message } } }), done] });
    const asking = new Asking(tuned(model.baseUrl));
    await asking.ask();
    expect(own(model.requests[1]?.body)).toEqual({ max_tokens: 4_000 });
    expect(asking.leftOut.map(({ parameter }) => parameter)).toEqual(["reasoning_effort", "temperature"]);
  });

  it("is still sent for the other roles", async () => {
    const refused = turn({ body: { error: { message: "`temperature` is deprecated for this model." } } });
    await using model = await startModel({ worker: [refused] });
    const endpoints = tuned(model.baseUrl);
    const asking = new Asking({ ...endpoints, evaluator: { ...endpoints.evaluator, tuning } });
    await asking.ask();
    await asking.ask({ role: "evaluator" });
    expect(model.of("evaluator").map(({ body }) => body.temperature)).toEqual([0.2]);
  });

  it("costs a best-effort question none of its attempts", async () => {
    const refused = turn({ body: { error: { message: "`temperature` is deprecated for this model." } } });
    await using model = await startModel({ worker: [refused, { status: 503 }, done] });
    const asking = new Asking(tuned(model.baseUrl));
    await asking.ask({}, { bestEffort: true });
    expect(asking.retries.map(({ attempt }) => attempt)).toEqual([1]);
  });

  it("is reported without a key that the endpoint repeats", async () => {
    const message = `Unsupported parameter: 'temperature' (key ${canaryKey})`;
    await using model = await startModel({ worker: [turn({ body: { error: { message } } }), done] });
    const asking = new Asking(tuned(model.baseUrl));
    await asking.ask();
    expect(asking.leftOut).toHaveLength(1);
    expect(JSON.stringify(asking.leftOut)).not.toContain(canaryKey.slice(0, 10));
  });
});

describe("tools that are refused with any effort", () => {
  it.each([untuned, tuning])("are sent with effort none from then on, whether or not one was sent: %j", async (its) => {
    await using model = await startModel({ worker: [turn({ body: toolsWithEffort() }), done, done] });
    const asking = new Asking(tuned(model.baseUrl, its));
    await asking.ask();
    await asking.ask();
    const efforts = model.requests.map(({ body }) => body.reasoning_effort);
    expect(efforts).toEqual([its.reasoningEffort ?? undefined, "none", "none"]);
    expect(asking.leftOut).toEqual([
      {
        parameter: "reasoning_effort",
        sentInstead: "reasoning_effort=none",
        reason: expect.stringContaining("gpt-5.6-terra"),
      },
    ]);
  });

  it("leave a question without tools its effort", async () => {
    await using model = await startModel({ worker: [turn({ body: toolsWithEffort() }), done] });
    const asking = new Asking(tuned(model.baseUrl));
    await asking.ask();
    await asking.ask({ tools: [] });
    expect(model.of("self_improve").map(({ body }) => body.reasoning_effort)).toEqual(["high"]);
  });

  it("end the question when effort none is refused as well", async () => {
    const refusesNone = {
      error: { message: "Unsupported value: 'reasoning_effort' does not support 'none'", param: "reasoning_effort" },
    };
    await using model = await startModel({ worker: [toolsWithEffort(), refusesNone].map((body) => turn({ body })) });
    const asking = new Asking(tuned(model.baseUrl));
    expect(await asking.failure()).toMatchObject({ code: "infra", message: expect.stringContaining("'none'") });
    expect(model.requests).toHaveLength(2);
  });
});

describe("a refused field of an earlier message", () => {
  it("is left out of the items of the Responses interface too, and of nothing that the harness says", () => {
    const omissions = new Omissions();
    const item = { type: "function_call", id: "fc_1", call_id: "a", name: "bash", arguments: "{}" };
    const result = { type: "function_call_output", call_id: "a", output: "x", status: "completed" };
    const sealed = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" };
    const body = {
      model: "m",
      input: [{ ...sealed, status: "completed" }, { ...item, status: "completed" }, result],
    };
    const refusal = refusalIn(400, JSON.stringify({ error: { message: "Unknown parameter: 'input[1].status'." } }));
    if (refusal === null) throw new Error("it names nothing");
    expect(omissions.apply(body)).toEqual(body);
    expect(omissions.learn(body, refusal)).toEqual([{ parameter: "status", sentInstead: null }]);
    expect(omissions.apply(body)).toEqual({ model: "m", input: [sealed, item, result] });
  });

  it.each(refusedFields.map((one) => [one.by, one] as const))(
    "is left out of all of them, and nothing else is: %s",
    async (_, refusal) => {
      await using model = await startModel({ worker: [turn(refusal), done, done] });
      const asking = new Asking(tuned(model.baseUrl));
      await asking.ask({ messages: earlierAt(model.baseUrl) });
      await asking.ask({ messages: earlierAt(model.baseUrl) });
      const [first, ...rest] = model.requests.map(({ body }) => body);
      const kept = structuredClone(first?.messages) as Record<string, unknown>[];
      expect(kept[1]).toMatchObject({ reasoning_content: "why not", reasoning: "kept" });
      delete kept[1]?.reasoning_content;
      expect(rest).toEqual([
        { ...first, messages: kept },
        { ...first, messages: kept },
      ]);
      expect(Object.keys(rest[0]?.messages?.[1 as never] ?? {})).toEqual(Object.keys(kept[1] ?? {}));
      expect(asking.leftOut.map(({ parameter, sentInstead }) => [parameter, sentInstead])).toEqual([
        ["reasoning_content", null],
      ]);
    },
  );
});

describe("the refused part of a request", () => {
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "bash", arguments: "{}", note: 1 },
    extra_content: { google: { thought_signature: "x" } },
  };
  const body: Fields = {
    model: "m",
    messages: [
      { role: "user", content: "hello", extra_content: "not ours to take" },
      { role: "assistant", content: null, tool_calls: [call], reasoning: "why not" },
      { role: "tool", tool_call_id: "call_1", content: "nothing" },
    ],
    tools: [{ type: "function", function: { name: "bash" } }],
    usage: { include: true },
    include_reasoning: true,
  };
  const answered = (message: string) => {
    const omissions = new Omissions();
    const refusal = refusalIn(400, JSON.stringify({ error: { message } }));
    const left = refusal === null ? [] : omissions.learn(body, refusal);
    return { left: left.map(({ parameter }) => parameter), sent: omissions.apply(body) };
  };

  it.each(["usage", "include_reasoning"])("may be %s, which we ask a router for", (name) => {
    const { left, sent } = answered(`property '${name}' is unsupported`);
    const { [name]: _, ...rest } = body;
    expect([left, sent]).toEqual([[name], rest]);
  });

  it("is the effort of the Responses interface, whatever the endpoint calls it", () => {
    const sent = { model: "m", input: [], reasoning: { effort: "high" }, temperature: 0 };
    for (const message of ['"llama3.1:8b" does not support thinking', "invalid reasoning value: 'minimal'"]) {
      const omissions = new Omissions();
      const refusal = refusalIn(400, message);
      expect(refusal && omissions.learn(sent, refusal)).toEqual([{ parameter: "reasoning", sentInstead: null }]);
      expect(omissions.apply(sent)).toEqual({ model: "m", input: [], temperature: 0 });
    }
  });

  it("is no field of earlier messages when a value of the effort was meant", () => {
    const refusal = refusalIn(400, "invalid reasoning value: 'minimal'");
    const left = refusal && new Omissions().learn({ ...body, reasoning_effort: "minimal" }, refusal);
    expect(left).toEqual([{ parameter: "reasoning_effort", sentInstead: null }]);
  });

  it.each(["extra_content", "note"])(
    "may be the field %s of a call, and no other role's message is touched",
    (name) => {
      const { left, sent } = answered(`messages.1.assistant.tool_calls.0.${name}: Extra inputs are not permitted`);
      const kept = structuredClone(body) as { messages: { tool_calls?: Record<string, Record<string, unknown>>[] }[] };
      const its = kept.messages[1]?.tool_calls?.[0];
      delete its?.[name];
      delete its?.function?.[name];
      expect([left, JSON.stringify(sent)]).toEqual([[name], JSON.stringify(kept)]);
    },
  );

  it("is never something that a request needs", () => {
    const needed = ["model", "messages", "tools", "role", "content", "tool_calls", "id", "type", "function", "name"];
    for (const name of [...needed, "arguments", "tool_call_id"]) {
      for (const path of [name, `messages.1.assistant.${name}`, `messages[1].tool_calls[0].function.${name}`]) {
        expect([path, answered(`Unsupported parameter: '${path}'`)]).toEqual([path, { left: [], sent: body }]);
      }
    }
  });

  it.each([
    [older, newer],
    [newer, older],
  ])("is replaced by the other name for the same number, whichever of the two was sent: %s", (first, second) => {
    const omissions = new Omissions();
    const refusal = { named: [first], ofValue: false, ofToolsWithEffort: false };
    const sent = { ...body, [first]: 7 };
    expect(omissions.learn(sent, refusal)).toEqual([{ parameter: first, sentInstead: second }]);
    expect(omissions.apply(sent)).toEqual({ ...body, [second]: 7 });
  });

  it("is found without delay in a text of any kind", () => {
    const long = ["'", "[(", "a, ", "a.", "\\", "unsupported ", "loc: [", "{", `a${"'".repeat(9)}`];
    const read = (times: number) => {
      for (const text of long) refusalIn(400, text.repeat(times));
    };
    expect(growth(read, 2_000, 40_000, 60)).toBeLessThanOrEqual(60);
  });
});

describe("a 400 that refuses nothing we could leave out", () => {
  it("would often look like a refusal to a search for names anywhere in the text", () => {
    const words = ["temperature", "max_tokens", "reasoning_effort", "reasoning_content", "tools", "model"];
    const naive = (text: string) => words.some((word) => RegExp(`\\b${word}\\b`).test(text));
    for (const [name, body] of Object.entries(noRefusals))
      expect([name, naive(JSON.stringify(body))]).toEqual([name, true]);
  });

  it.each(Object.keys(noRefusals))("ends the question as always: %s", async (name) => {
    await using model = await startModel({ worker: [turn({ body: noRefusals[name] }), done] });
    const asking = new Asking(tuned(model.baseUrl));
    expect(await asking.failure({ messages: earlierAt(model.baseUrl) })).toMatchObject({ code: "infra" });
    expect(model.requests).toHaveLength(1);
    expect(asking.leftOut).toEqual([]);
  });

  it("ends the question too when it names a parameter that was not sent", async () => {
    await using model = await startModel({ worker: [turn(refusedParameters[0] ?? { body: null }), done] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    expect(await asking.failure()).toMatchObject({ code: "infra" });
    expect(model.requests).toHaveLength(1);
  });

  it.each([401, 404, 413, 429, 500])("is told from a %i, whatever parameter its text names", async (status) => {
    const body = { error: { message: "Unsupported parameter: 'temperature'", param: "temperature" } };
    await using model = await startModel({ worker: [{ status, body }, done] });
    const asking = new Asking(tuned(model.baseUrl), { maxOutageMinutes: 1 });
    await asking.ask().catch(() => undefined);
    expect(asking.leftOut).toEqual([]);
  });

  it.each([
    [newer, "This model's maximum context length is 8192 tokens, and max_completion_tokens is too large: 4000."],
    [
      older,
      "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens`",
    ],
  ])("gives way to a full context, also where %s was sent: %s", async (limit, message) => {
    for (const param of [older, newer]) {
      using azure = new AzureHere();
      await using model = await startModel({
        worker: [turn({ body: { error: { message, param, code: null } } }), done],
      });
      const asking = new Asking(tuned(addressBy(limit, model.baseUrl, azure)));
      expect(await asking.failure({ messages: question.messages })).toBeInstanceOf(ContextFull);
      expect(own(model.requests[0]?.body)).toEqual(valuesBy(limit));
      expect(asking.leftOut).toEqual([]);
    }
  });
});
