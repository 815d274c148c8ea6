import type { Judgement } from "../../../checks/judgement.js";
import type { CheckResult } from "../../../session/log/events/checks.js";
import type { Payload } from "../../../session/log/events.js";

/** The part of a check that must be the same in two runs: no times, no texts. */
export interface Outcome {
  readonly passed: boolean;
  readonly checks: Readonly<Record<string, string>>;
  /** ids of tests that had to run */
  readonly expected: readonly string[];
  readonly seen: Readonly<Record<string, string>>;
}

export function outcomeOf(
  run: Pick<Payload<"check_run"> | Judgement, "passed" | "checks" | "expected" | "seen">,
): Outcome {
  const { passed, checks, expected, seen } = run;
  return { passed, checks: byName(checks), expected: [...expected].sort(), seen: byId(seen) };
}

function byName(checks: readonly CheckResult[]): Record<string, string> {
  return Object.fromEntries(checks.map(({ name, passed, reason }) => [name, passed ? "passed" : `failed (${reason})`]));
}

function byId(seen: Judgement["seen"]): Record<string, string> {
  return Object.fromEntries(seen.map(({ id, outcome }) => [id, outcome]));
}
