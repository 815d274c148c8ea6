import { systemClock } from "../../base/clock.js";
import { usualOrigin } from "../../hands/provider.js";
import { newSessionId } from "../../session/session-folders.js";
import type { Settings } from "../../settings/settings.js";
import { type Finding, finding } from "./finding.js";

/** Examines where hands come from, up to the first thing that is wrong. */
export async function examineHands(settings: Settings, signal: AbortSignal): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, look } of usualOrigin.examinations(settings, newSessionId(systemClock.now()))) {
    const found = await finding(name, () => look(signal));
    findings.push(found);
    if (!found.ok) break;
  }
  return findings;
}
