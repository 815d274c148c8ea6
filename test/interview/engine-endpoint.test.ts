import { expect, it } from "vitest";
import type { ScriptedRequest, Turn } from "../../runner/demo/script/script.js";
import { Asking } from "../helpers/asking.js";
import { InterviewTrial } from "../helpers/interview-trial.js";
import { ask, read, seed } from "../helpers/interview-turns.js";
import { canaryKey, endpointsOf, startModel } from "../helpers/scripted-model.js";

const script: readonly Turn[] = [
  { status: 503 },
  { empty: true },
  { cut: ["write_seed", { prd_entries: [], test_files: {}, tldr: "x" }] },
  { calls: [["write_seed", "{}"], ask("Late?")] },
  { calls: [read("a"), ask(`Is ${canaryKey} yours?`, ["yes"]), ["ask_user", "[1]"]] },
  { calls: [seed()] },
];

/** ids of the calls in all replies, and of the answers to them */
function pairs({ messages }: ScriptedRequest) {
  const calls = messages.flatMap(({ tool_calls }) => tool_calls ?? []).map(({ id }) => id);
  const answers = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
  return { calls, answers };
}

it("an interview over a real endpoint answers every call exactly once, in order, and leaks no key", async () => {
  await using model = await startModel({ interviewer: script });
  const { client } = new Asking(endpointsOf(model.baseUrl));
  const trial = new InterviewTrial([], { client, files: { a: "A" }, answers: ["no"] });
  expect(await trial.hold()).toEqual({ kind: "prepared" });
  for (const request of model.requests) {
    const { calls, answers } = pairs(request);
    expect(answers).toEqual(calls);
    expect(new Set(calls).size).toBe(calls.length);
  }
  expect(model.requests).toHaveLength(script.length);
  expect(trial.frontend.asked).toEqual([{ question: expect.stringMatching(/^Is .* yours\?$/), options: ["yes"] }]);
  for (const seen of [trial.frontend.asked, trial.events.all, model.requests.map(({ body }) => body)])
    expect(JSON.stringify(seen)).not.toContain(canaryKey);
  expect(trial.events.of("model_retry")[0]).toMatchObject({ iter: 1, phase: "interview" });
});
