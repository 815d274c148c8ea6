import { resolve } from "node:path";
import { TilthError } from "../../runner/base/errors.js";
import { type InFlightPolicy, type SessionStore, sessionsInFlight } from "../../runner/index.js";
import type { Surroundings } from "../output/surroundings.js";
import { atTerminal, choosing } from "./at-terminal.js";
import { workTreeAround } from "./choose-session.js";
import { type PickerChoice, pickInFlight } from "./pickers.js";

/** The person's choice, made beforehand, about the source's sessions in flight. */
export interface InFlightFlags {
  readonly force?: boolean;
  readonly keepExisting?: boolean;
}

export function policyOf({ force, keepExisting }: InFlightFlags): InFlightPolicy {
  if (force && keepExisting)
    throw new TilthError("usage", "--force and --keep-existing contradict each other", "give one of them");
  return force ? "discard" : keepExisting ? "keep" : "refuse";
}

export function flagsFor(policy: InFlightPolicy): InFlightFlags {
  return { force: policy === "discard", keepExisting: policy === "keep" };
}

interface Settling {
  readonly store: SessionStore;
  readonly source: string;
  readonly policy: InFlightPolicy;
}

/** Asks if there was no flag and somebody is there; otherwise the runner refuses. */
export async function settleInFlight(around: Surroundings, { store, source, policy }: Settling): Promise<PickerChoice> {
  if (policy !== "refuse" || !atTerminal()) return { kind: "go_on", inFlight: policy };
  const rows = sessionsInFlight(store, workTreeAround(resolve(source)));
  return await pickInFlight(rows, choosing(around.output, around.signal));
}
