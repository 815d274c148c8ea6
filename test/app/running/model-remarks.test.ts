import { join } from "node:path";
import { expect, test } from "vitest";
import { remarkOtherModels, remarkUnknownCost } from "../../../runner/app/running/model-remarks.js";
import { EventLog } from "../../../runner/session/log/event-log.js";
import type { Payload } from "../../../runner/session/log/events.js";
import { scratch } from "../../helpers/scratch.js";
import { modelCall } from "../../session/event-fixtures.js";

const call = {
  phase: "worker" as const,
  attempt: 1,
  prompt_tokens: 1,
  cached_tokens: 0,
  cache_write_tokens: 0,
  eval_tokens: 1,
  reasoning_tokens: 0,
  estimated: false,
  cost: null,
  tokens_used_total: 2,
  finish_reason: "stop",
  reasoning: null,
  content: "x",
  calls: [],
  ms: 1,
} satisfies Partial<Payload<"model_call">>;

test("an endpoint that answers with another model than requested gets one remark, with the name cut short", () => {
  const said: string[] = [];
  using log = EventLog.open(join(scratch(), "events.jsonl"), (text) => text);
  remarkOtherModels(log, (line) => said.push(line));
  log.append("model_call", { ...call, model: "large" });
  expect(said).toEqual([]);
  for (const model of ["small", "small", `tiny\n${"x".repeat(1_000)}`])
    log.append("model_call", { ...call, model, model_asked: "large" });
  expect(said).toEqual([
    "tilth asked for the model large; the endpoint says that small answered; its replies are used",
    expect.stringMatching(
      /^tilth asked for the model large; the endpoint says that tiny x{90,}… answered; its replies are used$/,
    ),
  ]);
});

test("a model of unknown cost gets one remark, which says where to give its prices", () => {
  const said: string[] = [];
  using log = EventLog.open(join(scratch(), "events.jsonl"), (text) => text);
  remarkUnknownCost(log, "/home/ada/.tilth", (line) => said.push(line));
  log.append("model_call", modelCall("T-001", 1, { model: "known", cost: 0 }));
  log.append("model_call", modelCall("T-001", 1, { model: "known", cost: 0.5, cost_from: "prices" }));
  expect(said).toEqual([]);
  for (const model of ["local", "local", "judge\nall tasks are done"])
    log.append("model_call", modelCall("T-001", 2, { model }));
  expect(said).toEqual([
    "no cost is known of local, so TILTH_MAX_COST_USD cannot limit it; give its prices in /home/ada/.tilth/prices.json",
    expect.stringMatching(/^no cost is known of judge all tasks are done, so .*prices\.json$/),
  ]);
});
