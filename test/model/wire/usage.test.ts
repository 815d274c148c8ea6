import { describe, expect, test } from "vitest";
import type { Usage } from "../../../runner/model/port/model-client.js";
import { costOf, usageOf, usageOfResponse } from "../../../runner/model/wire/usage.js";

const chars = { promptChars: 400, replyChars: 40 };
const plain = { prompt_tokens: 2_000, completion_tokens: 300, total_tokens: 2_300 };
const none: Usage = {
  promptTokens: 2_000,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  evalTokens: 300,
  reasoningTokens: 0,
  estimated: false,
};

describe("usage", () => {
  test.each<[string, object, Partial<Usage>]>([
    ["a provider without a cache", {}, {}],
    [
      "OpenAI",
      { prompt_tokens_details: { cached_tokens: 1_920 }, completion_tokens_details: { reasoning_tokens: 64 } },
      { cachedTokens: 1_920, reasoningTokens: 64 },
    ],
    ["DeepSeek", { prompt_cache_hit_tokens: 1_500, prompt_cache_miss_tokens: 500 }, { cachedTokens: 1_500 }],
    ["Moonshot", { cached_tokens: 1_000 }, { cachedTokens: 1_000 }],
    [
      "LiteLLM in front of Anthropic",
      {
        prompt_tokens_details: { cached_tokens: 0 },
        cache_read_input_tokens: 1_200,
        cache_creation_input_tokens: 700,
      },
      { cachedTokens: 1_200, cacheWriteTokens: 700 },
    ],
    [
      "LiteLLM with its details",
      { prompt_tokens_details: { cached_tokens: 1_200, cache_creation_tokens: 700 } },
      { cachedTokens: 1_200, cacheWriteTokens: 700 },
    ],
    [
      "OpenRouter",
      { prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 100 }, cost: 0.95 },
      { cacheWriteTokens: 100 },
    ],
    [
      "OpenAI, of what it writes",
      { prompt_tokens_details: { cached_tokens: 900, cache_write_tokens: 1_000 } },
      { cachedTokens: 900, cacheWriteTokens: 1_000 },
    ],
    ["details of null", { prompt_tokens_details: null, completion_tokens_details: null }, {}],
  ])("is read as %s reports it", (_, more, expected) => {
    expect(usageOf({ ...plain, ...more }, chars)).toEqual({ ...none, ...expected });
  });

  test("is read as the Responses interface reports it", () => {
    const told = {
      input_tokens: 2_000,
      input_tokens_details: { cached_tokens: 1_800, cache_write_tokens: 120 },
      output_tokens: 300,
      output_tokens_details: { reasoning_tokens: 250 },
      total_tokens: 2_300,
    };
    expect(usageOfResponse(told, chars)).toEqual({
      ...none,
      cachedTokens: 1_800,
      cacheWriteTokens: 120,
      reasoningTokens: 250,
    });
    expect(usageOf(told, chars)).toMatchObject({ estimated: true, cachedTokens: 0 });
    expect(usageOfResponse(plain, chars)).toMatchObject({ estimated: true, promptTokens: 100, evalTokens: 10 });
  });

  test("has xAI's and Gemini's reasoning beside the reply billed with it, and reasoning within the reply once", () => {
    const beside = { prompt_tokens: 32, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 94 } };
    const read = (total_tokens: number) => {
      const { evalTokens, reasoningTokens } = usageOf({ ...beside, total_tokens }, chars);
      return [evalTokens, reasoningTokens];
    };
    expect(read(135)).toEqual([103, 94]);
    expect(read(41)).toEqual([9, 9]);
    const within = { ...plain, completion_tokens_details: { reasoning_tokens: 200 } };
    expect(usageOf(within, chars)).toMatchObject({ evalTokens: 300, reasoningTokens: 200 });
  });
});

test("reasoning that Gemini reports in the total alone is billed with the reply", () => {
  const told = { prompt_tokens: 20, completion_tokens: 424, total_tokens: 1_016 };
  expect(usageOf(told, chars)).toMatchObject({ evalTokens: 996, reasoningTokens: 572, estimated: false });
  const read = (more: object) => {
    const { promptTokens, evalTokens, reasoningTokens } = usageOf({ ...told, ...more }, chars);
    return [promptTokens, evalTokens, reasoningTokens];
  };
  expect(read({ total_tokens: 300 })).toEqual([20, 424, 0]);
  expect(read({ total_tokens: "1016" })).toEqual([20, 424, 0]);
  expect(read({ total_tokens: 1e12 })).toEqual([20, 424, 0]);
  expect(read({ prompt_tokens: null })).toEqual([100, 424, 0]);
  expect(read({ completion_tokens: -1 })).toEqual([20, 10, 0]);
});

test.each([
  ["cached", { cache_read_input_tokens: 1_253 }],
  ["written", { cache_creation_input_tokens: 1_253 }],
  ["cached and written", { cache_read_input_tokens: 1_000, cache_creation_input_tokens: 253 }],
])("%s tokens that the total has beside the prompt are no reasoning", (_, more) => {
  const told = { prompt_tokens: 31, completion_tokens: 5, total_tokens: 31 + 5 + 1_253 };
  expect(usageOf({ ...told, ...more }, chars)).toMatchObject({ evalTokens: 5, reasoningTokens: 0 });
});

describe("cached tokens", () => {
  test("that a provider leaves out of its prompts never make the new ones fewer than none", () => {
    const told = { prompt_tokens: 31, completion_tokens: 5, cache_read_input_tokens: 1_253 };
    const naive = told.prompt_tokens - told.cache_read_input_tokens;
    expect(naive).toBeLessThan(0);
    const { promptTokens, cachedTokens } = usageOf(told, chars);
    expect([promptTokens, cachedTokens]).toEqual([31, 31]);
  });

  test("and written ones together are never more than the prompt", () => {
    const told = { ...plain, cache_read_input_tokens: 1_500, cache_creation_input_tokens: 1_500 };
    expect(usageOf(told, chars)).toMatchObject({ cachedTokens: 1_500, cacheWriteTokens: 500 });
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1e10, "7", null, [7], { tokens: 7 }])(
    "of %j count as missing, and the rest stays",
    (cached_tokens) => {
      const told = { ...plain, prompt_tokens_details: { cached_tokens, cache_write_tokens: cached_tokens } };
      expect(usageOf(told, chars)).toEqual(none);
      expect(usageOf({ ...told, cached_tokens: 12 }, chars)).toEqual({ ...none, cachedTokens: 12 });
    },
  );
});

describe("a cost", () => {
  const header = (text: string) => new Headers({ "x-litellm-response-cost": text });

  test("is read from the body, else from LiteLLM's header", () => {
    expect(costOf({ cost: 0.25 }, header("0.5"))).toBe(0.25);
    expect(costOf({ cost: 0 }, header("0.5"))).toBe(0);
    expect(costOf({ cost: "0.25" }, header("0.5"))).toBe(0.5);
    expect(costOf(undefined, header("5.1e-05"))).toBe(0.000051);
    expect(costOf({}, new Headers())).toBeNull();
  });

  test("with a person's own key at OpenRouter is its fee plus what the provider behind it charges", () => {
    const details = { upstream_inference_cost: 0.036, upstream_inference_prompt_cost: 0.03 };
    expect(costOf({ cost: 0, is_byok: true, cost_details: details }, header("0.5"))).toBe(0.036);
    expect(costOf({ cost: 0.002, is_byok: true, cost_details: details }, new Headers())).toBeCloseTo(0.038, 10);
    // in other calls OpenRouter tells the same cost twice
    expect(costOf({ cost: 0.036, is_byok: false, cost_details: details }, new Headers())).toBe(0.036);
    for (const cost_details of [
      undefined,
      null,
      {},
      { upstream_inference_cost: null },
      { upstream_inference_cost: -1 },
    ])
      expect(costOf({ cost: 0, is_byok: true, cost_details }, new Headers())).toBeNull();
  });

  test.each(["None", "", "0", "0.0", "-1", "NaN", "Infinity", "0x10", "1e12", "1,5", "0.5 USD"])(
    "of '%s' in a header is ignored",
    (text) => {
      expect(costOf({}, header(text))).toBeNull();
    },
  );
});

test("zeros of a server that does not count are estimated, and an empty reply to a counted prompt is not", () => {
  const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  expect(usageOf(zeros, chars)).toMatchObject({ estimated: true, promptTokens: 100, evalTokens: 10 });
  expect(usageOfResponse({ input_tokens: 0, output_tokens: 0 }, chars)).toMatchObject({ estimated: true });
  expect(usageOf({ ...zeros, prompt_tokens: 90 }, chars)).toMatchObject({
    estimated: false,
    promptTokens: 90,
    evalTokens: 0,
  });
  expect(usageOf({ ...zeros, completion_tokens: 7 }, chars)).toMatchObject({
    estimated: false,
    promptTokens: 0,
    evalTokens: 7,
  });
});
