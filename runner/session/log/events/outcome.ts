import { z } from "zod";

/** Reasons for a failed task that lie in the task itself. */
export const taskFailure = z.enum(["iter_cap", "evaluator_cap", "no_case", "empty_responses", "hands_lost"]);
export type TaskFailure = z.infer<typeof taskFailure>;

export const stopReason = z.enum([
  "all_done",
  ...taskFailure.options,
  "wall_clock",
  "token_cap",
  "cost_cap",
  "infra",
  "provider_denied",
  "branch_moved",
  "interrupted",
  "error",
]);
export type StopReason = z.infer<typeof stopReason>;
