import type { ErrorCode } from "../../runner/base/errors.js";
import type { StopReason } from "../../runner/session/log/events/outcome.js";

export const exitOk = 0;
export const exitFound = 1;
export const exitUsage = 2;
export const exitBug = 70;
export const exitInterrupted = 130;

const ofError: Readonly<Record<ErrorCode, number>> = {
  usage: exitUsage,
  busy: 3,
  infra: 5,
  provider_denied: 5,
  branch_moved: 5,
};

const ofStop: Readonly<Record<StopReason, number>> = {
  all_done: exitOk,
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
  interrupted: exitInterrupted,
  error: exitBug,
};

export function exitCodeOfError(code: ErrorCode): number {
  return ofError[code];
}

export function exitCodeOfStop(reason: StopReason): number {
  return ofStop[reason];
}
