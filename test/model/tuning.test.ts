import { describe, expect, it } from "vitest";
import type { Api } from "../../runner/base/apis.js";
import { interfaces } from "../../runner/model/interfaces.js";
import { RequestParts } from "../../runner/model/wire/request-parts.js";
import { type Endpoints, type Tuning, untuned } from "../../runner/settings/endpoints.js";
import { Masker } from "../../runner/text/mask.js";
import { Asking, question } from "../helpers/asking.js";
import { AzureHere } from "../helpers/azure-here.js";
import { endpointsOf, startModel } from "../helpers/scripted-model.js";

const limits = ["max_completion_tokens", "max_tokens", "max_output_tokens"];
const names = ["reasoning_effort", ...limits, "temperature"];

async function sent(tunings: Partial<Record<keyof Endpoints, Tuning>>, role: keyof Endpoints) {
  await using model = await startModel();
  const endpoints = endpointsOf(model.baseUrl);
  const tuned = { ...endpoints[role], tuning: tunings[role] ?? untuned };
  await new Asking({ ...endpoints, [role]: tuned }).ask({ role });
  const body = model.requests[0]?.body ?? {};
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}

describe("a model's tuning", () => {
  it("sends nothing that nobody set", async () => {
    expect(await sent({}, "worker")).toEqual({});
  });

  it("is sent under the names of chat completions", async () => {
    const tuning: Tuning = { reasoningEffort: "high", maxOutputTokens: 32_000, temperature: 0 };
    expect(await sent({ worker: tuning }, "worker")).toEqual({
      reasoning_effort: "high",
      max_tokens: 32_000,
      temperature: 0,
    });
  });

  it.each([
    ["https://api.openai.com/v1", "max_completion_tokens"],
    ["https://eu.api.openai.com/v1", "max_completion_tokens"],
    ["https://mine.openai.azure.com/openai/v1", "max_completion_tokens"],
    ["https://mine.services.ai.azure.com/openai/v1", "max_completion_tokens"],
    ["https://api.openai.com.example.org/v1", "max_tokens"],
    ["https://notopenai.azure.com/v1", "max_tokens"],
    ["https://openrouter.ai/api/v1", "max_tokens"],
    ["https://api.anthropic.com/v1", "max_tokens"],
    ["https://gateway.example.org/api.openai.com/v1", "max_tokens"],
    ["http://localhost:11434/v1", "max_tokens"],
    ["http://127.0.0.1:1234/v1", "max_tokens"],
    ["http://[::1]:8080/v1", "max_tokens"],
  ])("sends %s the limit on a reply's tokens as %s, and under one name by Responses", (baseUrl, name) => {
    const endpoint = { ...endpointsOf(baseUrl).worker, tuning: { ...untuned, maxOutputTokens: 800 } };
    const sentBy = (api: Api) => {
      const body = interfaces[api].encode(
        question,
        { endpoint, provider: "p", extras: {}, parts: new RequestParts() },
        new Masker([]),
      );
      return Object.fromEntries(Object.entries(body).filter(([key]) => limits.includes(key)));
    };
    expect(sentBy("chat")).toEqual({ [name]: 800 });
    expect(sentBy("responses")).toEqual({ max_output_tokens: 800 });
  });

  it("sends Azure the limit under the newer name through the client too", async () => {
    using azure = new AzureHere();
    await using model = await startModel();
    const endpoints = endpointsOf(azure.of(model.baseUrl));
    const tuned = { ...endpoints.worker, tuning: { ...untuned, maxOutputTokens: 800 } };
    await new Asking({ ...endpoints, worker: tuned }).ask();
    const [first] = model.requests;
    expect([first?.body.max_completion_tokens, first?.body.max_tokens]).toEqual([800, undefined]);
  });

  it("is each role's own", async () => {
    const evaluator: Tuning = { ...untuned, reasoningEffort: "low" };
    const tunings = { worker: { ...untuned, temperature: 1 }, evaluator };
    expect(await sent(tunings, "evaluator")).toEqual({ reasoning_effort: "low" });
    expect(await sent(tunings, "interviewer")).toEqual({});
  });
});
