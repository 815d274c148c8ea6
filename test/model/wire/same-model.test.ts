import { expect, test } from "vitest";
import { isSameModel } from "../../../runner/model/wire/same-model.js";
import { quickest } from "../../helpers/quickest.js";

test.each([
  ["gpt-4o", "gpt-4o-2024-08-06"],
  ["openai/gpt-4o", "GPT-4o"],
  ["claude-sonnet-4@latest", "claude-sonnet-4-20250514"],
  ["mistral-large-latest", "mistral-large-2411"],
  ["qwen/qwen3-coder", "qwen/qwen3-coder:free"],
  ["gemini-1.5-pro", "models/gemini-1.5-pro-002"],
  ["2024", "2024"],
])("%s may call itself %s", (asked, answered) => {
  expect([isSameModel(asked, answered), isSameModel(answered, asked)]).toEqual([true, true]);
});

test.each([
  ["gpt-4o", "gpt-4o-mini"],
  ["gpt-4", "gpt-4.1"],
  ["claude-opus-4", "claude-sonnet-4"],
  ["llama-3.1-70b", "llama-3.1-8b"],
  ["large", ""],
])("%s is another model than %s", (asked, answered) => {
  expect([isSameModel(asked, answered), isSameModel(answered, asked)]).toEqual([false, false]);
});

test("a name made to be slow to read is read at once", async () => {
  const read = () => expect(isSameModel("a", `a${"-11".repeat(300_000)}!`)).toBe(false);
  expect(await quickest(read, 5_000)).toBeLessThan(5_000);
});
