import type { Cheat, Stop } from "./cheat.js";
import type { Judged } from "./judge.js";

/** Whether the result of a cheat is the one that its file says. */
export function isAsSaid({ stoppedBy }: Cheat, judged: Judged): boolean {
  if (stoppedBy === "evaluator") return judged.passed && judged.notes.length === 0;
  if (stoppedBy === "note") return judged.passed && judged.notes.length > 0;
  return isStoppedBy(stoppedBy, judged);
}

/** A finding of ruff beside the reason would hide a gate that did nothing, so it does not count as stopped. */
export function isStoppedBy(stops: readonly Stop[], { passed, reasons }: Judged): boolean {
  const known: readonly string[] = stops;
  return (
    !passed && reasons.some((reason) => known.includes(reason)) && (known.includes("lint") || !reasons.includes("lint"))
  );
}
