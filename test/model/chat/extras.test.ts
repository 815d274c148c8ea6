import { expect, it } from "vitest";
import { extrasOf, type Talk } from "../../../runner/model/chat/extras.js";
import { untuned } from "../../../runner/settings/endpoints.js";

const talk: Talk = { session: "20300101-000000-abcdef", role: "worker" };
const asked = (baseUrl: string, model = "m", its = talk) =>
  extrasOf({ baseUrl, model, apiKey: null, api: "chat", tuning: untuned }, its);
const whole = { cache_control: { type: "ephemeral" } };
const openRouter = { usage: { include: true }, include_reasoning: true };

it.each([
  ["https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5", { ...openRouter, ...whole }],
  ["https://eu.openrouter.ai/api/v1", "google/gemini-3-pro", openRouter],
  ["https://api.anthropic.com/v1", "claude-sonnet-4-5", whole],
  ["https://api.anthropic.com.example.org/v1", "claude-sonnet-4-5", {}],
  ["https://notopenrouter.ai/v1", "anthropic/claude-sonnet-4.5", {}],
  ["http://127.0.0.1:8080/v1", "anthropic/claude-sonnet-4.5", {}],
])("%s, asked for %s, gets these fields beyond the common interface: %j", (baseUrl, model, extras) => {
  expect(asked(baseUrl, model)).toEqual(extras);
});

it.each(["https://api.openai.com/v1", "https://mine.openai.azure.com/openai/v1"])(
  "%s gets one key for all prompts of a session and role, and the key does not reveal the session",
  (baseUrl) => {
    const { prompt_cache_key: key, ...others } = asked(baseUrl);
    expect([key, others]).toEqual([expect.stringMatching(/^tilth-[0-9a-f]{24}$/), {}]);
    expect(asked(baseUrl, "another model").prompt_cache_key).toBe(key);
    const different = [
      { ...talk, role: "evaluator" as const },
      { ...talk, session: "20300101-000000-abcdee" },
    ];
    for (const other of different) expect(asked(baseUrl, "m", other).prompt_cache_key).not.toBe(key);
  },
);
