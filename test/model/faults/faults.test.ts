import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { Interrupted, TilthError } from "../../../runner/base/errors.js";
import { ContextFull } from "../../../runner/model/port/model-client.js";
import { Asking } from "../../helpers/asking.js";
import { canaryKey, endpointsOf, startModel, type Turn } from "../../helpers/scripted-model.js";

const done: Turn = { quiet: "hello back" };
const error = (message: string, more: object = {}) => ({ error: { message, ...more } });

const passing: Readonly<Record<string, Turn>> = {
  "408": { status: 408 },
  "409": { status: 409 },
  "425": { status: 425 },
  "429": { status: 429, body: error("Request too large: 9000 tokens per min, maximum context length aside") },
  "500": { status: 500 },
  "503 with a page": { status: 503, body: "<html>try later</html>" },
  "529": { status: 529 },
  "Groq's 400 for a call that the model wrote wrongly": {
    status: 400,
    body: error("Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.", {
      type: "invalid_request_error",
      code: "tool_use_failed",
      failed_generation: '<function=bash{"command": "ls"</function>',
    }),
  },
  "a page with 200": { status: 200, headers: { "content-type": "text/html" }, body: "<html>welcome</html>" },
  "nothing with 200": { status: 200, body: "" },
  "a 200 that is another interface's answer": { status: 200, body: { choices: [{ text: "hello" }] } },
  "a 200 whose choices are none": { status: 200, body: { choices: null } },
  "a 200 nested too deep": {
    status: 200,
    body: `{"choices":[{"message":{"content":"x","reasoning_details":${"[".repeat(50_000)}${"]".repeat(50_000)}}}]}`,
  },
  "an error object with 200 that names 503": { status: 200, body: error("overloaded", { code: 503 }) },
  "an error object with 200 that names 429 in text": { status: 200, body: error("slow down", { code: "429" }) },
  "an error object with 200 that names nothing": { status: 200, body: error("something") },
  "an error in the choice": { status: 200, body: { choices: [{ message: null, error: { code: 502 } }] } },
  ...Object.fromEntries(
    ["error", "insufficient_system_resource", "network_error"].map((word) => [
      `a reply that broke off at the provider: ${word}`,
      { status: 200, body: { choices: [{ message: { content: "I will n" }, finish_reason: word }] } },
    ]),
  ),
  "a connection that ends at once": { drop: "at once" },
  "a connection that ends half way": { drop: "half way" },
};

const denied: readonly (readonly [number, RegExp])[] = [
  [401, /TILTH_API_KEY/],
  [402, /TILTH_API_KEY/],
  [403, /TILTH_API_KEY.*TILTH_WORKER_MODEL/],
  [404, /TILTH_WORKER_MODEL.*TILTH_BASE_URL/],
];

const full: Readonly<Record<string, Turn>> = {
  "413": { status: 413, body: "too large" },
  "the code": { status: 400, body: error("no", { code: "context_length_exceeded" }) },
  "vLLM's words": {
    status: 400,
    body: { object: "error", message: "This model's maximum context length is 8192 tokens." },
  },
  "llama.cpp's words": {
    status: 400,
    body: error("the request exceeds the available context size, try increasing it"),
  },
  "Anthropic's words": { status: 400, body: error("prompt is too long: 210000 tokens > 200000 maximum") },
  "Gemini's words": {
    status: 400,
    body: error("The input token count (1200000) exceeds the maximum number of tokens"),
  },
  "LM Studio's words": {
    status: 400,
    body: {
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.",
    },
  },
  "LM Studio's older words": {
    status: 400,
    body: {
      error:
        "Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough.",
    },
  },
  "LM Studio's engine's words": {
    status: 400,
    body: { error: "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)" },
  },
  "vLLM's words for a prompt": {
    status: 400,
    body: error("The decoder prompt (length 40000) is longer than the maximum model length of 32768."),
  },
  "vLLM's words for what is left of it": {
    status: 400,
    body: error("max_tokens must be at least 1, got -7584. (parameter=max_tokens, value=-7584)", {
      type: "BadRequestError",
      param: "max_tokens",
      code: 400,
    }),
  },
  "Moonshot's words": {
    status: 400,
    body: error("Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)"),
  },
  "GitHub's words": { status: 400, body: error("prompt token count of 132000 exceeds the limit of 128000") },
  "Zhipu's words": { status: 400, body: error("Prompt exceeds max length", { code: "1261" }) },
  "DashScope's words": {
    status: 400,
    body: error("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]", {
      code: "invalid_parameter_error",
    }),
  },
  "Cohere's words": {
    status: 400,
    body: {
      message:
        "too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 200000. Try using a shorter prompt.",
    },
  },
  "the words of Hugging Face's server": {
    status: 422,
    body: {
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32768. Given: 40000 `inputs` tokens and 100 `max_new_tokens`",
    },
  },
  "its words for a prompt": {
    status: 422,
    body: { error: "Input validation error: `inputs` must have less than 4096 tokens. Given: 4545" },
  },
  "Vertex's words": {
    status: 400,
    body: [
      error(
        "Unable to submit request because the input token count is 1251952 but model only supports up to 1048576. Reduce the input token count and try again.",
      ),
    ],
  },
  "SiliconFlow's words": {
    status: 400,
    body: {
      code: 20015,
      message: "number of input tokens (204703) has exceeded max_prompt_tokens (202752) limit.",
      data: null,
    },
  },
  "Volcano Engine's words": {
    status: 400,
    body: error("Input length 203743 exceeds the maximum length 202752", { code: "InvalidParameter" }),
  },
  "its older words": { status: 400, body: error("Total tokens of image and text exceed max message tokens.") },
  "OpenAI's words for more than a minute gives": {
    status: 429,
    body: error(
      "Request too large for gpt-5.1 in organization org-1 on tokens per min (TPM): Limit 30000, Requested 42034. The input or output tokens must be reduced in order to run successfully.",
      { type: "tokens", param: null, code: "rate_limit_exceeded" },
    ),
  },
  "LiteLLM's name for it": { status: 400, body: error("litellm.ContextWindowExceededError: it said no") },
  "a 413 that a gateway made a 400 of": {
    status: 400,
    body: error('{"type":"error","error":{"type":"request_too_large","message":"no"}}'),
  },
  "an error object with 200": { status: 200, body: error("no", { code: "context_length_exceeded" }) },
};

describe("faults of an endpoint", () => {
  it.each(Object.keys(passing))("%s is waited out", async (name) => {
    await using model = await startModel({ worker: [done, passing[name] ?? done, done] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    await asking.ask();
    expect((await asking.ask()).message.content).toBe("hello back");
    expect(asking.retries.map((retry) => retry.attempt)).toEqual([1]);
    expect(asking.clock.slept).toHaveLength(1);
  });

  it.each(denied)("%i is denied at once, naming what to set", async (status, hint) => {
    await using model = await startModel({ worker: [{ status, body: error("no") }] });
    const failure = await new Asking(endpointsOf(model.baseUrl)).failure();
    expect(failure).toMatchObject({ code: "provider_denied", hint: expect.stringMatching(hint) });
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    ["LiteLLM", error("No connected db.", { type: "no_db_connection", param: null, code: "400" })],
    ["Gemini", [error("API key not valid. Please pass a valid API key.", { code: 400, status: "INVALID_ARGUMENT" })]],
    [
      "xAI",
      { code: "invalid-argument", error: "Incorrect API key provided: na***ys. You can obtain an API key from …" },
    ],
  ])("a 400 by which %s refuses a key names the key's setting", async (_, body) => {
    await using model = await startModel({ worker: [{ status: 400, body }] });
    const failure = await new Asking(endpointsOf(model.baseUrl)).failure();
    expect(failure).toMatchObject({ code: "provider_denied", hint: "Check TILTH_API_KEY." });
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    JSON.stringify(error("This model does not know images.", { type: "invalid_request_error" })),
    "This model does not know images.",
  ])("an error of OpenRouter's includes what the provider behind it said: %j", async (raw) => {
    const body = error("Provider returned error", { code: 400, metadata: { raw, provider_name: "OpenAI" } });
    await using model = await startModel({
      worker: [
        { status: 400, body },
        { status: 200, body },
      ],
    });
    for (const _ of [1, 2]) {
      const failure = await new Asking(endpointsOf(model.baseUrl)).failure();
      expect(failure).toMatchObject({
        message: expect.stringMatching(/HTTP 400: Provider returned error: This model does not know images\.$/),
      });
    }
  });

  it("a 400 that only repeats a text about keys is no refusal of a key", async () => {
    const body = error(`Invalid arguments of a call: ${"x".repeat(400)} invalid API key`);
    await using model = await startModel({ worker: [{ status: 400, body }] });
    expect(await new Asking(endpointsOf(model.baseUrl)).failure()).toMatchObject({ code: "infra" });
  });

  it("a denial names the evaluator's own settings when it has some", async () => {
    await using model = await startModel({ evaluator: [{ status: 401 }] });
    const endpoints = endpointsOf(model.baseUrl);
    const own = { ...endpoints, evaluator: { ...endpoints.evaluator, apiKey: "sk-another-key" } };
    const failure = await new Asking(own).failure({ role: "evaluator" });
    expect(failure).toMatchObject({ hint: expect.stringContaining("TILTH_EVALUATOR_API_KEY") });
  });

  it("an error object in a 200 that names 401 is a denial", async () => {
    await using model = await startModel({ worker: [{ status: 200, body: error("bad key", { code: 401 }) }] });
    expect(await new Asking(endpointsOf(model.baseUrl)).failure()).toMatchObject({ code: "provider_denied" });
  });

  it.each([400, 418, 422])("%i ends the question at once", async (status) => {
    await using model = await startModel({ worker: [{ status, body: error("malformed") }] });
    expect(await new Asking(endpointsOf(model.baseUrl)).failure()).toMatchObject({ code: "infra" });
    expect(model.requests).toHaveLength(1);
  });

  it.each(Object.keys(full))("a full context is recognised by %s", async (name) => {
    await using model = await startModel({ worker: [full[name] ?? done] });
    expect(await new Asking(endpointsOf(model.baseUrl)).failure()).toBeInstanceOf(ContextFull);
  });

  it("a redirect is not followed, and no key goes to its target", async () => {
    await using elsewhere = await startModel();
    const headers = { location: `${elsewhere.baseUrl}/chat/completions` };
    await using model = await startModel({ worker: [307, 308, 302].map((status) => ({ status, headers, body: "" })) });
    for (const _ of [1, 2, 3]) {
      const failure = await new Asking(endpointsOf(model.baseUrl)).failure();
      expect(failure).toMatchObject({ code: "infra", message: expect.stringContaining("redirect") });
    }
    expect(elsewhere.requests).toEqual([]);
    const naive = await fetch(`${model.baseUrl}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "scripted-evaluator" }),
    });
    expect(naive.status).toBe(200);
  });

  it("a reply over 32 MB is cut off, not collected", async () => {
    const huge = JSON.stringify({ choices: [], padding: "x".repeat(33 * 1024 * 1024) });
    await using model = await startModel({ worker: [{ status: 200, body: huge }, done] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    expect((await asking.ask()).message.content).toBe("hello back");
    expect(asking.retries[0]?.reason).toContain("32 MB");
  });

  it("a key that an error repeats is masked", async () => {
    await using model = await startModel({ worker: [{ status: 401, body: `${"x".repeat(280)} ${canaryKey}` }] });
    const failure = await new Asking(endpointsOf(model.baseUrl)).failure();
    expect(failure).toBeInstanceOf(TilthError);
    expect(String(failure)).not.toContain(canaryKey.slice(0, 10));
  });

  it.each([401, 429])("a key that the JSON of an error %i repeats in escapes is masked", async (status) => {
    const escaped = [...canaryKey].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
    const body = `{"error":{"message":"${"x".repeat(280)} ${escaped}"}}`;
    await using model = await startModel({
      worker: [
        { status, body },
        { status: 401, body },
      ],
    });
    const asking = new Asking(endpointsOf(model.baseUrl));
    expect(await asking.failure()).toMatchObject({ message: expect.stringContaining("[masked") });
    expect(JSON.stringify(asking.retries)).not.toContain(canaryKey.slice(0, 10));
    expect(JSON.parse(body).error.message).toContain(canaryKey);
  });

  it.each([
    ["in a body of another shape", (key: string) => `{"error":{"msg":"${key}"}}`],
    ["in a text within it", (key: string) => JSON.stringify(error(`it said: {"key":"${key}"}`))],
  ])("a key in escapes is masked %s", async (_, bodyOf) => {
    const escaped = `\\u0073${canaryKey.slice(1)}`;
    await using model = await startModel({ worker: [{ status: 401, body: bodyOf(escaped) }] });
    expect(String(await new Asking(endpointsOf(model.baseUrl)).failure())).not.toContain(canaryKey.slice(1));
  });

  it("an endpoint that never answers is given up after the request's time-out, and asked again", async () => {
    await using model = await startModel({ worker: [{ hang: true }, done] });
    const asking = new Asking(endpointsOf(model.baseUrl), { requestTimeoutSeconds: 2 });
    await asking.ask();
    expect(asking.retries[0]?.reason).toBe("timed out");
  });

  it("a run's signal keeps no listener of a finished question", async () => {
    await using model = await startModel();
    const { signal } = new AbortController();
    await new Asking(endpointsOf(model.baseUrl)).ask({}, { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("an abort ends a hanging question at once", async () => {
    await using model = await startModel({ worker: [{ hang: true }] });
    const signal = AbortSignal.timeout(100);
    const started = performance.now();
    expect(await new Asking(endpointsOf(model.baseUrl)).failure({}, { signal })).toBeInstanceOf(Interrupted);
    // the request's own timeout is twenty seconds
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
