import { expect, test } from "vitest";
import type { SessionId } from "../../../runner/base/ids.js";
import { Spend } from "../../../runner/dialogue/spend.js";
import { capMet } from "../../../runner/loop/context/caps.js";
import { loopSettings } from "../../helpers/loop-settings.js";

test("a cost cap is met by small costs that come to exactly as much, and by nothing less", () => {
  const spend = new Spend();
  const none = { prompt_tokens: 0, cached_tokens: 0, cache_write_tokens: 0, eval_tokens: 0, reasoning_tokens: 0 };
  for (let call = 1; call <= 10; call += 1) spend.add("worker", { ...none, estimated: false, cost: 0.1, ms: 1 });
  expect(spend.cost).toBeLessThan(1);
  const met = (costUsd: number | null) => {
    const { caps } = loopSettings("", { maxCostUsd: 1 });
    return capMet(caps, { tokens: 0, costUsd, minutes: 0 }, "20300101-000000-abcdef" as SessionId)?.reason;
  };
  expect(met(spend.cost)).toBe("cost_cap");
  expect([met(0.999999), met(null)]).toEqual([undefined, undefined]);
});
