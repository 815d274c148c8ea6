import { join } from "node:path";
import { expect, test } from "vitest";
import { remarkOtherModels } from "../../../runner/app/ground/other-model.js";
import { EventLog } from "../../../runner/session/log/event-log.js";
import type { Payload } from "../../../runner/session/log/events.js";
import { scratch } from "../../helpers/scratch.js";

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

test("an endpoint that answers with another model than asked for is remarked on once, and what it says is cut", () => {
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
