import { describe, expect, test } from "vitest";
import { Spend } from "../../../runner/dialogue/spend.js";
import { eventSchema } from "../../../runner/session/log/events.js";
import { SummaryRollup } from "../../../runner/session/summary/summary.js";
import { summarySchema } from "../../../runner/session/summary/summary-schema.js";
import { addUsage, countedTokens, noUsage } from "../../../runner/session/summary/usage.js";
import { inTask, logOf, modelCall, oid } from "../event-fixtures.js";

describe("the tokens counted for a cap", () => {
  test("are the new ones and the reply's in full, and a tenth of the cached ones", () => {
    const usage = noUsage();
    addUsage(usage, modelCall("T-001", 1, { prompt_tokens: 1_000, cached_tokens: 900, eval_tokens: 50 }));
    expect([usage.total_tokens, countedTokens(usage)]).toEqual([1_050, 100 + 90 + 50]);
    addUsage(usage, modelCall("T-001", 2, { prompt_tokens: 1_000, cache_write_tokens: 900, eval_tokens: 50 }));
    expect(countedTokens(usage)).toBe(240 + 1_050);
  });

  test("are rounded up once for the session, because rounding each call would drift away", () => {
    const call = modelCall("T-001", 1, { prompt_tokens: 1, cached_tokens: 1, eval_tokens: 0 });
    const calls = Array.from({ length: 1_000 }, () => call);
    const naive = calls.reduce((sum, { cached_tokens }) => sum + Math.ceil(cached_tokens / 10), 0);
    const spend = new Spend();
    for (const one of calls) spend.add("worker", one);
    expect([naive, spend.tokens]).toEqual([1_000, 100]);
  });

  test("are the same for a run that goes on from what was used before", () => {
    const [whole, before] = [new Spend(), noUsage()];
    const calls = [7, 13, 9, 11].map((cached_tokens) => modelCall("T-001", 1, { cached_tokens, cost: 0.1 }));
    for (const call of calls) whole.add("worker", call);
    for (const call of calls.slice(0, 2)) addUsage(before, call);
    const resumed = new Spend(before);
    for (const call of calls.slice(2)) resumed.add("worker", call);
    expect([resumed.tokens, resumed.cost]).toEqual([whole.tokens, whole.cost]);
    expect([before.calls, resumed.of("worker").calls, resumed.of("evaluator")]).toEqual([2, 2, noUsage()]);
  });
});

describe("a record from before cached tokens were counted", () => {
  const older = <T extends object>(value: T, names: readonly string[]) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
  const ofCalls = ["cached_tokens", "cache_write_tokens", "reasoning_tokens", "cost_from"];
  const ofSums = [...ofCalls, "priced_calls", "by_role", "worker_model"];

  test("is read from a log, with none cached", () => {
    const [event] = logOf(["model_call", modelCall("T-001", 1, { cost: 1 })]);
    const read = eventSchema.parse({ ...event, payload: older(event?.payload ?? {}, ofCalls) });
    expect(read.payload).toMatchObject({ cached_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0, cost: 1 });
    expect(read.payload).not.toHaveProperty("cost_from");
  });

  test("is read from a summary, with all its tokens counted in full", () => {
    const rollup = new SummaryRollup();
    const commit = { ...inTask("T-001", 1), sha: oid("2"), tree: oid("1") };
    for (const event of logOf(["model_call", modelCall("T-001", 1)], ["commit", commit])) rollup.add(event);
    const summary = rollup.summary(null);
    const read = summarySchema.parse({
      ...summary,
      usage: older(summary.usage, ofSums),
      usage_by_role: { worker: older(summary.usage, ofSums) },
      tasks: summary.tasks.map((task) => ({ ...task, usage: older(task.usage, ofSums) })),
      receipts: summary.receipts.map((receipt) => older(receipt, ofSums)),
    });
    expect(countedTokens(read.usage)).toBe(read.usage.total_tokens);
    const [{ by_role: _, worker_model: __, ...told } = { by_role: {} }] = summary.receipts;
    expect(read).toEqual({ ...summary, receipts: [told] });
  });
});
