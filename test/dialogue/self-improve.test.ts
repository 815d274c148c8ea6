import { describe, expect, it } from "vitest";
import { Interrupted, TilthError } from "../../runner/base/errors.js";
import { parseLearning, selfImprove } from "../../runner/dialogue/self-improve.js";
import { Spend } from "../../runner/dialogue/spend.js";
import { JumpingClock } from "../helpers/asking.js";
import { FakeModelClient, type FakeTurn } from "../helpers/fake-model-client.js";
import { RecordedEvents, span } from "../helpers/recorded-events.js";

async function ask(turn: FakeTurn) {
  const model = new FakeModelClient({ self_improve: [turn] });
  const spend = new Spend();
  const deps = {
    model,
    events: new RecordedEvents(),
    spend,
    clock: new JumpingClock(),
    signal: new AbortController().signal,
  };
  return { learning: await selfImprove({ system: "s", user: "u", channels: {} }, span, deps), model };
}

describe("self-improve", () => {
  it.each([
    ['{"propose": "yes", "learning": " Dates are UTC. "}', { emitted: true, entry: "Dates are UTC." }],
    ['```json\n{"propose": "yes", "learning": "x"}\n```', { emitted: true, entry: "x" }],
    ['{"propose": "no"}', { emitted: false, reason: "no_proposal" }],
    ['{"propose": "no", "learning": "x"}', { emitted: false, reason: "no_proposal" }],
    ['{"propose": "yes", "learning": "  "}', { emitted: false, reason: "empty_learning" }],
    ['{"propose": "yes"}', { emitted: false, reason: "empty_learning" }],
    ['{"propose": true, "learning": "x"}', { emitted: false, reason: "unparseable" }],
    ['Sure: {"propose": "yes", "learning": "x"}', { emitted: false, reason: "unparseable" }],
    ["", { emitted: false, reason: "unparseable" }],
    ["[]", { emitted: false, reason: "unparseable" }],
  ])("reads %j as %o", (text, learning) => {
    expect(parseLearning(text)).toEqual(learning);
  });

  it("asks one question without tools, and waits out no outage for it", async () => {
    const { learning, model } = await ask({ content: '{"propose": "yes", "learning": "x"}' });
    expect(learning).toEqual({ emitted: true, entry: "x" });
    expect(model.requests).toMatchObject([{ bestEffort: true, request: { role: "worker", tools: [] } }]);
  });

  it("takes a failure and a cut reply as no learning, but ends when it is interrupted", async () => {
    expect((await ask(new TilthError("provider_denied", "no", "pay"))).learning).toMatchObject({ reason: "error" });
    const cut = { content: '{"propose": "yes", "learning": "x"}', finish: "length" };
    expect((await ask(cut)).learning).toMatchObject({ reason: "unparseable" });
    await expect(ask(new Interrupted())).rejects.toBeInstanceOf(Interrupted);
  });
});
