import { expect, test } from "vitest";
import { liveTable } from "../../../cli/output/live-table.js";
import type { LiveReport } from "../../../runner/index.js";

const whole: LiveReport = {
  roles: ["worker", "interviewer"],
  base_url: "https://models.example/v1",
  model: "thinker",
  model_answered: "thinker-2030-01-01",
  finished: true,
  ms: [812, 640],
  api: "responses",
  api_switched: true,
  called_tool: true,
  arguments_are_objects: true,
  parallel_calls: true,
  used_results: true,
  reasoning: "kept",
  second_call: { prompt_tokens: 1_606, cached_tokens: 1_408 },
  usage: "told",
  tokens: 3_301,
  cost: 0.00412,
  cost_from: "prices",
  left_out: [{ parameter: "max_completion_tokens", sent_instead: "max_tokens", reason: "unknown" }],
};
const nothing: LiveReport = {
  ...whole,
  roles: ["evaluator"],
  model: "judge\u001b[2J",
  model_answered: null,
  finished: false,
  ms: [],
  api: "chat",
  api_switched: false,
  called_tool: null,
  arguments_are_objects: null,
  parallel_calls: null,
  used_results: null,
  reasoning: null,
  second_call: null,
  usage: null,
  tokens: 0,
  cost: null,
  cost_from: null,
  left_out: [],
};

function shown(reports: readonly LiveReport[], columns: number): string[] {
  const plain = { coloured: false, columns: Number.POSITIVE_INFINITY };
  return liveTable(reports, columns).map((one) => one.render(plain));
}

test("models stand side by side, with a line for each thing that was tried", () => {
  expect(shown([whole, nothing], 100)).toEqual([
    "",
    "                  worker, interviewer                 evaluator",
    "model             thinker-2030-01-01                  judge[2J",
    "endpoint          https://models.example/v1           https://models.example/v1",
    "answers           yes, in 812, 640 ms                 no",
    "interface         responses, switched to              –",
    "tools             called, with objects                –",
    "parallel calls    both in one reply                   –",
    "results used      both                                –",
    "reasoning         kept: it goes back and is taken     –",
    "cached, 2nd call  1408 of 1606                        –",
    "usage             told, 3301 tokens                   –",
    "cost              $0.0041, by prices.json             unknown",
    "left out          max_completion_tokens (max_tokens)  nothing",
  ]);
});

test("models that do not fit side by side stand one below the other", () => {
  const lines = shown([whole, nothing], 70);
  expect(lines).toHaveLength(2 * 14);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(70);
});

test("the table says in plain words what was not offered", () => {
  const plain: LiveReport = {
    ...whole,
    api_switched: false,
    arguments_are_objects: false,
    parallel_calls: false,
    used_results: false,
    reasoning: "none_seen",
    second_call: { prompt_tokens: 1_606, cached_tokens: 0 },
    cost: null,
    cost_from: null,
  };
  const text = shown([plain], 100).join("\n");
  for (const words of [
    "called, not always with an object",
    "one at a time",
    "not as they were told",
    "none seen",
    "none of 1606",
    "unknown",
  ])
    expect(text).toContain(words);
  expect(shown([{ ...plain, called_tool: false }], 100).join("\n")).toMatch(/^tools +no call$/m);
  expect(shown([{ ...plain, second_call: null }], 100).join("\n")).toMatch(/^cached, 2nd call +unknown$/m);
});

test("there is no table without a model", () => {
  expect(shown([], 100)).toEqual([]);
});
