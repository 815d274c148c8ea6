import { describe, expect, it } from "vitest";
import { type Endpoints, type Tuning, untuned } from "../../runner/settings.js";
import { Asking } from "../helpers/asking.js";
import { endpointsOf, startModel } from "../helpers/scripted-model.js";

const names = ["reasoning_effort", "max_completion_tokens", "max_tokens", "temperature"];

async function sent(tunings: Partial<Record<keyof Endpoints, Tuning>>, role: keyof Endpoints) {
  await using model = await startModel();
  const endpoints = endpointsOf(model.baseUrl);
  const tuned = { ...endpoints[role], tuning: tunings[role] ?? untuned };
  await new Asking({ ...endpoints, [role]: tuned }).ask({ role });
  const body = model.requests[0]?.body ?? {};
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}

describe("how a model is asked to answer", () => {
  it("nothing is sent that nobody set", async () => {
    expect(await sent({}, "worker")).toEqual({});
  });

  it("what is set is sent under the names of chat completions", async () => {
    const tuning = { reasoningEffort: "high", maxOutputTokens: 32_000, temperature: 0 };
    expect(await sent({ worker: tuning }, "worker")).toEqual({
      reasoning_effort: "high",
      max_completion_tokens: 32_000,
      temperature: 0,
    });
  });

  it("each role has its own", async () => {
    const tunings = { worker: { ...untuned, temperature: 1 }, evaluator: { ...untuned, reasoningEffort: "low" } };
    expect(await sent(tunings, "evaluator")).toEqual({ reasoning_effort: "low" });
    expect(await sent(tunings, "interviewer")).toEqual({});
  });
});
