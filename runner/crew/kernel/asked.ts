import type { Intent, IntentName, IntentOf } from "./intents.js";
import type { Circumstances, Outcome } from "./move.js";
import type { CrewState } from "./state.js";

export type Handler<Name extends IntentName> = (
  state: CrewState,
  intent: IntentOf<Name>,
  asking: Circumstances,
) => Outcome;
export type Handlers<Name extends IntentName = IntentName> = { readonly [Each in Name]: Handler<Each> };
export type AnyHandler = (state: CrewState, intent: Intent, asking: Circumstances) => Outcome;
