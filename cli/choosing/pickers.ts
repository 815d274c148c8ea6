import type { InFlightPolicy, SessionRow } from "../../runner/index.js";
import type { Choose } from "./at-terminal.js";

export type PickerChoice =
  /** run it from its start, or resume it */
  | { readonly kind: "run"; readonly row: SessionRow }
  | { readonly kind: "go_on"; readonly inFlight: InFlightPolicy }
  | { readonly kind: "cancelled" };

/** An option and its effect. */
type Option = readonly [label: string, meaning: () => PickerChoice];

const cancelled: PickerChoice = { kind: "cancelled" };
const cancel: Option = ["cancel", () => cancelled];
const goOn = (label: string, inFlight: InFlightPolicy): Option => [label, () => ({ kind: "go_on", inFlight })];

/** For a verb that makes a session while others of the source are in flight. */
export async function pickInFlight(rows: readonly SessionRow[], choose: Choose): Promise<PickerChoice> {
  const [only, ...others] = rows;
  if (only === undefined) return { kind: "go_on", inFlight: "refuse" };
  if (others.length > 0)
    return await pick(choose, `These sessions of the source are in flight:\n${listed(rows)}`, [
      goOn("prepare a new one alongside them", "keep"),
      goOn("discard them all and prepare a new one", "discard"),
      cancel,
    ]);
  return await pick(choose, `A session of this source is in flight:\n${listed(rows)}`, [
    ...carryOn(only),
    goOn("discard it and prepare a new one", "discard"),
    goOn("prepare a new one alongside it", "keep"),
    cancel,
  ]);
}

/** For `run` if no session is prepared; `rows` are the sessions in flight, newest first. */
export async function pickInsteadOfRun(rows: readonly SessionRow[], choose: Choose): Promise<PickerChoice> {
  const [prior] = rows;
  if (prior === undefined)
    return await pick(choose, "No session of this source is prepared.", [goOn("prepare one now", "refuse"), cancel]);
  return await pick(choose, `No session of this source is prepared; in flight:\n${listed(rows)}`, [
    ...carryOn(prior),
    goOn(`discard ${rows.length === 1 ? "it" : "them all"} and prepare a new one`, "discard"),
    goOn("prepare a new one now, alongside", "keep"),
    cancel,
  ]);
}

async function pick(choose: Choose, text: string, options: readonly Option[]): Promise<PickerChoice> {
  const index = await choose(
    text,
    options.map(([label]) => label),
  );
  const meant = index === null ? undefined : options[index];
  return meant === undefined ? cancelled : meant[1]();
}

/** A failed interview left no tasks, and a running one belongs to another process, so neither can be continued here. */
function carryOn(row: SessionRow): readonly Option[] {
  if (row.status === "prepared") return [[`run ${row.id}`, () => ({ kind: "run", row })]];
  if (row.status === "preparing" || row.tasks === null) return [];
  return [[`resume ${row.id}`, () => ({ kind: "run", row })]];
}

function listed(rows: readonly SessionRow[]): string {
  return rows.map(rowText).join("\n");
}

export function rowText(row: SessionRow): string {
  const held = row.heldBy === null ? [] : [`held by process ${row.heldBy.pid}`];
  const stop = row.lastStop === null ? [] : [`stopped: ${row.lastStop}`];
  return [row.id, row.status ?? "unreadable", ...held, ...stop, row.label].filter((text) => text !== "").join(" · ");
}
