import { describe, expect, test } from "vitest";
import { type Prices, pricesSchema } from "../../../runner/base/prices.js";
import type { ModelReply } from "../../../runner/model/port/model-client.js";
import { costByPrices, PricedModel } from "../../../runner/model/port/priced-model.js";
import { question } from "../../helpers/asking.js";
import { FakeModelClient, type FakeReply, usualUsage } from "../../helpers/fake-model-client.js";
import { endpointsOf } from "../../helpers/scripted-model.js";

const usage = {
  promptTokens: 1_000_000,
  cachedTokens: 600_000,
  cacheWriteTokens: 100_000,
  evalTokens: 200_000,
  reasoningTokens: 150_000,
};
const full = { input: 2, cached: 0.2, cache_write: 2.5, output: 10 };

describe("a cost by prices", () => {
  const cost = (price: Prices[string], used = usage) => costByPrices({ m: price }, ["m"], { ...usualUsage, ...used });

  test("adds new, cached and written tokens and the reply at a price each, with reasoning in the reply's", () => {
    const withoutReasoning = 0.3 * 2 + 0.6 * 0.2 + 0.1 * 2.5 + 0.2 * 10;
    expect(cost(full)).toBeCloseTo(withoutReasoning, 12);
    expect(cost(full, { ...usage, reasoningTokens: 0 })).toBe(cost(full));
  });

  test("takes tokens without a price of their own at that of a new token", () => {
    expect(cost({ input: 2, output: 10 })).toBeCloseTo(1 * 2 + 0.2 * 10, 12);
  });

  test("is absent where no name has a price, whatever the name is", () => {
    for (const name of ["other", "", "__proto__", "constructor", "toString"])
      expect(costByPrices({ m: full }, [name], usualUsage)).toBeNull();
  });
});

describe("a model with prices", () => {
  async function ask(prices: Prices, turn: FakeReply): Promise<ModelReply> {
    const pricing = { endpoints: endpointsOf("http://127.0.0.1:9/v1"), prices };
    const model = new PricedModel(new FakeModelClient({ worker: [turn] }), pricing);
    return await model.complete(question, {
      signal: new AbortController().signal,
      onRetry: () => undefined,
      onLeftOut: () => undefined,
    });
  }
  const million = { usage: { promptTokens: 1_000_000, evalTokens: 0 } };
  const of = (input: number) => ({ input, output: 0 });

  test("keeps a cost that the provider states, zero included", async () => {
    for (const cost of [0.5, 0]) {
      const reply = await ask({ "fake-worker": of(3) }, { ...million, cost });
      expect([reply.cost, reply.costFrom]).toEqual([cost, undefined]);
    }
  });

  test("goes by the model that answered, else by the one that was requested", async () => {
    const prices = { "fake-worker": of(3), "scripted-worker": of(7) };
    expect(await ask(prices, million)).toMatchObject({ cost: 3, costFrom: "prices" });
    expect(await ask({ "scripted-worker": of(7) }, million)).toMatchObject({ cost: 7, costFrom: "prices" });
  });

  test("makes up no cost where it has no price", async () => {
    expect((await ask({ another: of(3) }, million)).cost).toBeNull();
    expect((await ask({}, million)).cost).toBeNull();
  });
});

test.each([
  {},
  { v: 2, models: {} },
  { v: 1 },
  { v: 1, models: [] },
  { v: 1, models: { m: { input: 1 } } },
  { v: 1, models: { m: { input: "1", output: 1 } } },
  { v: 1, models: { m: { input: -1, output: 1 } } },
  { v: 1, models: { m: { input: 1, output: 1, outptu: 2 } } },
  { v: 1, models: { m: { input: 1e9, output: 1 } } },
])("%j is refused as prices", (value) => {
  expect(pricesSchema.safeParse(value).success).toBe(false);
  expect(pricesSchema.safeParse({ v: 1, models: { m: full } }).success).toBe(true);
});
