import { join } from "node:path";
import { expect, test } from "vitest";
import { remarkUnknownCost } from "../../../runner/app/running/unknown-cost.js";
import { EventLog } from "../../../runner/session/log/event-log.js";
import { scratch } from "../../helpers/scratch.js";
import { modelCall } from "../../session/event-fixtures.js";

test("a model of unknown cost is remarked on once, with where to give its prices", () => {
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
