import type { SessionId } from "../../base/ids.js";
import type { StopReason } from "../../session/log/events/outcome.js";
import type { Caps } from "../../settings/settings.js";

export interface Used {
  /** cached tokens count as a tenth */
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly minutes: number;
}

export interface CapMet {
  readonly reason: Extract<StopReason, "wall_clock" | "token_cap" | "cost_cap">;
  readonly detail: string;
  readonly hint: string;
}

/** Undoes rounding: costs add up as binary fractions, in which ten times 0.1 is slightly less than 1. */
function exactly(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}

/** A cap that is reached exactly counts as met. */
export function capMet(caps: Caps, used: Used, id: SessionId): CapMet | null {
  const met = (reason: CapMet["reason"], detail: string, setting: string): CapMet => ({
    reason,
    detail,
    hint: `raise ${setting}, then tilth resume ${id}`,
  });
  if (used.tokens >= caps.maxTokens)
    return met("token_cap", `${used.tokens} of ${caps.maxTokens} tokens are used`, "TILTH_MAX_TOKENS");
  if (caps.maxCostUsd !== null && used.costUsd !== null && exactly(used.costUsd) >= caps.maxCostUsd)
    return met(
      "cost_cap",
      `${used.costUsd.toFixed(4)} of ${caps.maxCostUsd} US dollars are spent`,
      "TILTH_MAX_COST_USD",
    );
  if (used.minutes >= caps.maxWallClockMinutes)
    return met(
      "wall_clock",
      `${used.minutes.toFixed(1)} of ${caps.maxWallClockMinutes} minutes have passed`,
      "TILTH_MAX_WALL_CLOCK_MINUTES",
    );
  return null;
}
