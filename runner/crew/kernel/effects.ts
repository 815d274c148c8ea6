import { posted, withItem, withRole } from "./access.js";
import { lookingBack, type Move } from "./guards.js";
import type { CrewState, Item, Message } from "./state.js";
import type { MessageType, Role } from "./words.js";

/** Changes a state on the way of an item to its next status, which it has already. */
type Effect = (state: CrewState, item: Item, move: Move) => CrewState;

export const effects = {
  give: (state, item, { agent, now }) => {
    if (agent === null) throw new Error(`${item.id} is given to nobody`);
    const given: Item = { ...item, holder: agent, assignedAt: now, handIn: null, setback: null };
    return withRole(withItem(state, given), agent, { item: item.id });
  },
  sendAssignment: (state, item, { agent, now }) =>
    agent === null ? state : sent(state, "task_assign", agent, item, now, { bugs: item.rounds.at(-1) ?? [] }),
  begin: (state, { holder }) => (holder === null ? state : withRole(state, holder, { status: "working" })),
  release: (state, { holder, id }) =>
    holder !== null && state.roles[holder].item === id
      ? withRole(state, holder, { item: null, ...(state.roles[holder].turn === null && { status: "idle" as const }) })
      : state,
  releaseQa: (state, { id }) =>
    state.roles.qa.item === id
      ? withRole(state, "qa", { item: null, ...(state.roles.qa.turn === null && { status: "idle" as const }) })
      : state,
  sendValidationRequest: (state, item, { now }) => sent(state, "validation_request", "qa", item, now),
  sendCompletion: (state, item, { now }) => sent(state, "task_complete", "pm", item, now),
  handOff: (state, item, { actor, note }) => ({
    ...state,
    handoffs: { before: state.handoffs, item: item.id, status: item.status, by: actor, note },
  }),
  countIteration: (state) => ({ ...state, iteration: state.iteration + 1 }),
  keepBugs: (state, item) =>
    withItem(state, { ...item, rounds: [...item.rounds, item.validation?.bugs ?? []], validation: null }),
  countRetry: (state, item) => withItem(state, { ...item, retryCount: item.retryCount + 1 }),
  countFailure: (state) => ({ ...state, stats: { ...state.stats, failed: state.stats.failed + 1 } }),
  countCompletion: (state) => ({ ...state, stats: { ...state.stats, completed: state.stats.completed + 1 } }),
  countPickup: (state, item) => withItem(state, { ...item, pickups: item.pickups + 1, setback: null, handIn: null }),
  startOver: (state, item) => withItem(state, { ...item, retryCount: 0, pickups: 0 }),
  askToLookBack: (state, item, { now }) =>
    lookingBack.reduce(
      (asked, role) => sent(asked, "retrospective_request", role, item, now),
      withItem(state, { ...item, askedAt: now, contributions: {} }),
    ),
  askToPlay: (state, item, { now }) =>
    sent(withItem(state, { ...item, askedAt: now, playtest: null }), "playtest_request", "gamedesigner", item, now),
  sendSetback: (state, item, { now }) =>
    sent(state, "agent_timeout", "pm", item, now, { role: item.holder, setback: item.setback }),
} as const satisfies Readonly<Record<string, Effect>>;

export type EffectName = keyof typeof effects;

function sent(
  state: CrewState,
  type: MessageType,
  to: Role,
  { id }: Item,
  now: string,
  more: Message["payload"] = {},
): CrewState {
  return posted(state, type, to, { item: id, ...more }, now);
}
