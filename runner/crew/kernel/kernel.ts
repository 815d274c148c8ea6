import type { AnyHandler, Handlers } from "./asked.js";
import { byPerson } from "./by-person.js";
import { byPm } from "./by-pm.js";
import { bySupervisor } from "./by-supervisor.js";
import { byWorker } from "./by-worker.js";
import { type Intent, type IntentName, intents } from "./intents.js";
import type { Refusal, Step } from "./move.js";
import { withItems, wrongWith } from "./plan.js";
import type { CrewRules, CrewState, Message, PlannedItem, RoleState } from "./state.js";
import { transitions } from "./transitions.js";
import { type Actor, type Role, roles } from "./words.js";

/** One question to the kernel. `auto`: it asks itself, in the actor's name. */
export interface Request {
  readonly intent: Intent;
  readonly actor: Actor;
  readonly auto: boolean;
}

const handlers: Handlers = { ...bySupervisor, ...byPerson, ...byWorker, ...byPm };

/** Intents that are taken when the session is over: turns under way end, and a person may make it go on. */
const afterTheEnd: ReadonlySet<IntentName> = new Set(["opened", "turn_ended", "unblock", "tell", "log_progress"]);

/**
 * Changes the state of a crew, and is the only code that does. It asks nobody: neither a clock, nor chance, nor a disk.
 */
export function apply(
  state: CrewState,
  { intent, actor, auto }: Request,
  now: string,
  table = transitions,
): Step | { refused: Refusal } {
  const name = intent.intent;
  const allowed: readonly Actor[] = intents[name].by;
  if (!allowed.includes(actor)) return { refused: { rule: "§7", sentence: `The ${actor} has no ${name}.` } };
  if (state.status !== "running" && !afterTheEnd.has(name))
    return { refused: { rule: "§4", sentence: `The session is ${state.status}.` } };
  return (handlers[name] as AnyHandler)(state, intent, { actor, now, auto, table });
}

/** The state of a crew whose backlog was just staged. */
export function staged(items: readonly PlannedItem[], backlog: readonly PlannedItem[], rules: CrewRules): CrewState {
  const empty: CrewState = {
    status: "running",
    iteration: 0,
    stats: { completed: 0, failed: 0 },
    items: [],
    places: new Map(),
    backlog,
    roles: ofEach(() => resting),
    queues: ofEach((): readonly Message[] => []),
    messagesSent: 0,
    handoffs: null,
    progress: ofEach(() => null),
    skills: {},
    rules,
  };
  const wrong = wrongWith({ ...empty, backlog: [] }, [...items, ...backlog]);
  if (wrong !== null) throw new Error(wrong);
  return withItems(empty, items);
}

const resting: RoleState = {
  status: "idle",
  item: null,
  turn: null,
  crashes: 0,
  givenUp: false,
  awaitingSince: null,
  reminded: false,
};

function ofEach<Value>(make: () => Value): Readonly<Record<Role, Value>> {
  return Object.fromEntries(roles.map((role) => [role, make()])) as Record<Role, Value>;
}
