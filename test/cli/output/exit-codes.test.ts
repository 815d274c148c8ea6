import { expect, test } from "vitest";
import { exitCodeOfError, exitCodeOfStop } from "../../../cli/output/exit-codes.js";
import { stopReason } from "../../../runner/session/log/events/outcome.js";

test("every way a run can stop has the exit code of the table", () => {
  const codes = Object.fromEntries(stopReason.options.map((reason) => [reason, exitCodeOfStop(reason)]));
  expect(codes).toEqual({
    all_done: 0,
    iter_cap: 1,
    evaluator_cap: 1,
    no_case: 1,
    empty_responses: 1,
    hands_lost: 1,
    wall_clock: 4,
    token_cap: 4,
    cost_cap: 4,
    infra: 5,
    provider_denied: 5,
    branch_moved: 5,
    interrupted: 130,
    error: 70,
  });
});

test("every kind of error before a run has its own exit code", () => {
  const codes = (["usage", "busy", "infra", "provider_denied", "branch_moved"] as const).map(exitCodeOfError);
  expect(codes).toEqual([2, 3, 5, 5, 5]);
});
