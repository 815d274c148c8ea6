import { describe, expect, it } from "vitest";
import type { Usage } from "../../runner/model/port/model-client.js";
import { PricedModel } from "../../runner/model/port/priced-model.js";
import { FakeModelClient } from "../helpers/fake-model-client.js";
import { LoopSession } from "../helpers/loop-session.js";
import { accept, calls, learnedNothing, solve, submit } from "../helpers/loop-turns.js";
import { endpointsOf } from "../helpers/scripted-model.js";

const used = (promptTokens: number, evalTokens: number, estimated = false): { usage: Partial<Usage> } => ({
  usage: { promptTokens, evalTokens, estimated },
});

describe("tokens and cost", () => {
  it("are summed per role and per task, with the same sums in checkpoint and summary", async () => {
    const session = await LoopSession.open({ tasks: 2 });
    const run = await session.run({
      worker: [
        { ...solve(1), ...used(1000, 100), cost: 0.5 },
        { ...solve(2), ...used(2000, 200, true) },
      ],
      evaluator: [
        { ...accept, ...used(300, 30), cost: 0.25 },
        { ...accept, ...used(400, 40) },
      ],
      self_improve: [
        { ...learnedNothing, ...used(50, 5) },
        { ...learnedNothing, ...used(60, 6), cost: 0.125 },
      ],
    });
    const { usage, usage_by_role, tasks, receipts } = run.end.summary;
    expect(usage).toMatchObject({ calls: 6, prompt_tokens: 3810, eval_tokens: 381, total_tokens: 4191, cost: 0.875 });
    expect(usage.estimated_calls).toBe(1);
    expect(usage_by_role).toMatchObject({
      worker: { total_tokens: 3300, cost: 0.5 },
      evaluator: { total_tokens: 770, cost: 0.25 },
      self_improve: { total_tokens: 121, cost: 0.125 },
    });
    expect(tasks.map((task) => [task.usage.total_tokens, task.usage.cost])).toEqual([
      [1485, 0.75],
      [2706, 0.125],
    ]);
    expect(receipts.map(({ tokens }) => tokens)).toEqual([1485, 2706]);
    expect(session.files.loadCheckpoint()).toMatchObject({ tokens: 4191, cost: 0.875 });
    expect(run.of("model_call").map((call) => call.tokens_used_total)).toEqual([1100, 1430, 1485, 3685, 4125, 4191]);
  });

  describe("from a cache", () => {
    const cached = (task: number) => ({
      worker: [
        { ...solve(task), usage: { promptTokens: 1000, cachedTokens: 950, evalTokens: 20, reasoningTokens: 8 } },
      ],
      evaluator: [{ ...accept, usage: { promptTokens: 300, cachedTokens: 295, evalTokens: 5 } }],
    });

    it("count a tenth, in one number for events, checkpoint, summary and stop", async () => {
      const session = await LoopSession.open({ tasks: 2, caps: { maxTokens: 205 } });
      const run = await session.run(cached(1));
      expect(run.of("model_call").map((call) => call.tokens_used_total)).toEqual([165, 205]);
      expect([run.reason, run.end.stop.detail]).toEqual(["token_cap", "205 of 205 tokens are used"]);
      const { usage, caps, receipts } = run.end.summary;
      expect(usage).toMatchObject({ total_tokens: 1325, cached_tokens: 1245, reasoning_tokens: 8 });
      expect([caps?.tokens.used, session.files.loadCheckpoint().tokens]).toEqual([205, 205]);
      expect(receipts[0]).toMatchObject({
        tokens: 1325,
        by_role: {
          worker: { total_tokens: 1020, cached_tokens: 950, reasoning_tokens: 8 },
          evaluator: { total_tokens: 305, cached_tokens: 295 },
        },
      });
    });

    it("let a session go on that would have stopped if they counted in full", async () => {
      const session = await LoopSession.open({ tasks: 2, caps: { maxTokens: 411 } });
      const [one, two] = [cached(1), cached(2)];
      const run = await session.run({
        worker: [...one.worker, ...two.worker],
        evaluator: [...one.evaluator, ...two.evaluator],
      });
      expect(run.reason).toBe("all_done");
      expect(run.end.summary.receipts.map(({ tokens }) => tokens)).toEqual([1325, 1325]);
      expect(run.of("model_call").at(-1)?.tokens_used_total).toBe(409);
    });

    it("are counted on by the next run from the log, to the same number as in one run", async () => {
      const session = await LoopSession.open({ tasks: 2, caps: { maxTokens: 205 } });
      await session.run(cached(1));
      session.files.updateCheckpoint({ tokens: 7 });
      const raised = { ...session.settings.caps, maxTokens: 411 };
      Object.assign(session.settings, { caps: raised });
      const run = await session.run(cached(2));
      expect([run.reason, session.files.loadCheckpoint().tokens]).toEqual(["all_done", 409]);
    });
  });

  it("are shown with the submits that led to nothing, even those that came to no check", async () => {
    const session = await LoopSession.open();
    const run = await session.run({ worker: [calls(submit()), solve(1)], evaluator: [accept] });
    expect(run.end.summary.receipts.map((one) => one.wasted_retries)).toEqual([1]);
  });

  it("stay unknown when no provider states a cost, and then no cost cap is met", async () => {
    const session = await LoopSession.open({ tasks: 2, caps: { maxCostUsd: 0.0001 } });
    const run = await session.run({ worker: [solve(1), solve(2)], evaluator: [accept, accept] });
    expect(run.reason).toBe("all_done");
    expect([run.end.summary.usage.cost, session.files.loadCheckpoint().cost]).toEqual([null, null]);
  });

  it("come from a person's prices when no provider states a cost, are marked, and can meet the cost cap", async () => {
    const session = await LoopSession.open({ tasks: 2, caps: { maxCostUsd: 0.0012 } });
    const script = {
      worker: [{ ...solve(1), ...used(1000, 100) }, solve(2)],
      evaluator: [{ ...accept, cost: 0.0001 }, accept],
    };
    const prices = { "fake-worker": { input: 1, output: 1 } };
    const pricing = { endpoints: endpointsOf("http://127.0.0.1:9/v1"), prices };
    const { end, events } = await session.runOn(new PricedModel(new FakeModelClient(script), pricing));
    expect([end.stop.reason, end.stop.detail]).toEqual(["cost_cap", "0.0012 of 0.0012 US dollars are spent"]);
    const calls = events.flatMap((event) => (event.type === "model_call" ? [event.payload] : []));
    expect(calls.map(({ cost, cost_from }) => [cost, cost_from])).toEqual([
      [0.0011, "prices"],
      [0.0001, "provider"],
    ]);
    expect(end.summary.usage.priced_calls).toBe(1);
    expect(end.summary.receipts[0]?.by_role).toMatchObject({ worker: { cost: 0.0011 }, evaluator: { cost: 0.0001 } });
  });

  it("continue from what earlier runs of the session used, whatever the checkpoint says", async () => {
    const session = await LoopSession.open({ tasks: 2, caps: { maxTokens: 240 } });
    await session.run({ worker: [solve(1)], evaluator: [accept] });
    session.files.updateCheckpoint({ tokens: 0 });
    expect((await session.run({})).reason).toBe("token_cap");
    expect(session.files.loadCheckpoint().tokens).toBe(240);
  });

  it("of a task are added up at its end, not only at the run's", async () => {
    const session = await LoopSession.open({ tasks: 2 });
    const seen: (number | undefined)[] = [];
    const second = () => {
      seen.push(session.files.loadSummary()?.usage.total_tokens, session.files.loadCheckpoint().tokens);
      return calls();
    };
    await session.run({ worker: [solve(1), second, second, second], evaluator: [accept] });
    expect(seen.slice(0, 2)).toEqual([240, 240]);
  });
});
