import { describe, expect, it } from "vitest";
import { TilthError } from "../../runner/base/errors.js";
import type { AskDeps } from "../../runner/dialogue/ask.js";
import { evaluate } from "../../runner/dialogue/evaluator.js";
import { Spend } from "../../runner/dialogue/spend.js";
import { ContextFull } from "../../runner/model/port/model-client.js";
import { noUsage } from "../../runner/session/summary/usage.js";
import { JumpingClock } from "../helpers/asking.js";
import { FakeModelClient, type FakeTurn } from "../helpers/fake-model-client.js";
import { RecordedEvents, span } from "../helpers/recorded-events.js";

const accept = { verdict: "accept", rejection_category: null, concern: "sound", evidence: [], next_step: null };
const reject = { ...accept, verdict: "reject", rejection_category: "weak_test", next_step: "add a test" };
const yes: FakeTurn = { calls: [["submit_verdict", accept]] };
const no: FakeTurn = { calls: [["submit_verdict", reject]] };
const quiet: FakeTurn = { content: "I accept." };
const prompt = { system: "judge", user: "the change", channels: {} };

function trial(evaluator: readonly FakeTurn[]) {
  const events = new RecordedEvents();
  const model = new FakeModelClient({ evaluator });
  const clock = new JumpingClock();
  const spend = new Spend({ ...noUsage(), total_tokens: 1000 });
  const deps: AskDeps = { model, events, spend, clock, signal: new AbortController().signal };
  const judge = () => evaluate({ prompt, span }, deps);
  return { events, model, clock, spend, judge };
}

describe("the evaluator", () => {
  it("is asked once when its first answer is a verdict, and everything is recorded", async () => {
    const { events, model, spend, judge } = trial([{ ...yes, cost: 0.25 }]);
    expect(await judge()).toMatchObject({ verdict: "accept" });
    expect(events.types).toEqual(["memory_load", "prompt_assembled", "model_call"]);
    expect(events.of("model_call")[0]).toMatchObject({
      phase: "evaluator",
      attempt: 1,
      tokens_used_total: 1120,
      iter: 3,
    });
    expect(model.of("evaluator")[0]?.tools.map((one) => one.name)).toEqual(["submit_verdict"]);
    expect([spend.tokens, spend.cost, spend.of("evaluator").calls]).toEqual([1120, 0.25, 1]);
  });

  it("is told why its first answer was no verdict, with each of its calls answered", async () => {
    const two: FakeTurn = {
      calls: [
        ["submit_verdict", accept],
        ["submit_verdict", reject],
      ],
    };
    const { events, model, judge } = trial([two, no]);
    expect(await judge()).toMatchObject({ verdict: "reject", rejection_category: "weak_test" });
    const again = model.of("evaluator")[1]?.messages ?? [];
    expect(again.slice(3).map((one) => (one.role === "tool" ? one.callId : one.role))).toEqual(["call_1", "call_2"]);
    expect(again.at(-1)?.content).toContain("only one");
    expect(events.of("evaluator_parse_error").map((one) => one.attempt)).toEqual([1]);
  });

  it("counts as rejecting after two unreadable attempts", async () => {
    const { events, model, judge } = trial([quiet, { ...yes, finish: "length" }]);
    expect(await judge()).toMatchObject({ verdict: "reject", parse_failed: true });
    expect(model.of("evaluator")).toHaveLength(2);
    expect(model.of("evaluator")[1]?.messages.at(-1)).toMatchObject({ role: "user" });
    expect(events.of("evaluator_parse_error")).toHaveLength(2);
  });

  it("may send an empty reply twice in a row without losing an attempt", async () => {
    const { events, clock, judge } = trial([{}, {}, quiet, {}, {}, yes]);
    expect(await judge()).toMatchObject({ verdict: "accept" });
    expect(events.of("empty_model_response").map((one) => one.in_a_row)).toEqual([1, 2, 1, 2]);
    expect(events.of("evaluator_parse_error")).toHaveLength(1);
    expect(clock.slept.every((ms) => ms > 0)).toBe(true);
  });

  it("fails as infrastructure, without a verdict, after three empty replies in a row", async () => {
    await expect(trial([{}, {}, {}]).judge()).rejects.toMatchObject({ name: "TilthError", code: "infra" });
  });

  it("fails as infrastructure, with the setting to change, when its context is full", async () => {
    const failure = await trial([new ContextFull("too long")])
      .judge()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TilthError);
    expect(failure).toMatchObject({ code: "infra", hint: expect.stringContaining("TILTH_MAX_DIFF_KB") });
  });
});
