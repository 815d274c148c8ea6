import { itemNamed, posted, withItem, withRole } from "./access.js";
import type { Handlers } from "./asked.js";
import { moved, type Outcome, refused } from "./move.js";
import type { CrewState, Item, RoleState } from "./state.js";
import { isHeld, type Role, roles } from "./words.js";

/** A role whose turns ended badly this often in a row is given up. */
const mostCrashes = 3;

export const bySupervisor: Handlers<
  | "opened"
  | "turn_started"
  | "turn_ended"
  | "candidate_made"
  | "candidate_spoiled"
  | "committed"
  | "timed_out"
  | "finish"
  | "wake_up"
> = {
  /** Turns of an earlier run are over, however they ended, and roles are counted afresh. */
  opened: (before, { rules }) => {
    let state: CrewState = { ...before, rules };
    for (const role of roles) state = withRole(state, role, { ...fresh, status: restedStatus(state.roles[role]) });
    if (state.status === "max_iterations_reached" && state.iteration < rules.maxIterations)
      state = { ...state, status: "running" };
    return { state };
  },
  turn_started: (state, { role, messages, item }, { now }) => {
    const { turn, givenUp } = state.roles[role];
    if (state.status !== "running") return refused("§4", `The session is ${state.status}: nobody is woken.`);
    if (givenUp) return refused("§5", `The ${role} was given up until the session is resumed.`);
    if (turn !== null) return refused("§5", `The ${role} is at work already.`);
    const queued = new Set(state.queues[role].map(({ id }) => id));
    const gone = messages.find((id) => !queued.has(id));
    if (gone !== undefined) return refused("I7", `The message ${gone} is not in the queue of the ${role}.`);
    const begun = withRole(state, role, { turn: { startedAt: now, messages }, status: "working", awaitingSince: null });
    return item === null ? { state: begun } : takenByQa(begun, role, item);
  },
  /** A turn that ended well has read its messages; one that crashed gets them once more. */
  turn_ended: (before, { role, exit, reason }, { now }) => {
    const { turn, crashes } = before.roles[role];
    if (turn === null) return refused("§5", `The ${role} has no turn that could end.`);
    const status = exit === "awaiting_pm" || exit === "awaiting_gd" ? exit : "idle";
    const awaitingSince = status === "idle" ? null : now;
    const ended = withRole(before, role, { turn: null, status, awaitingSince, reminded: false });
    if (exit === "infra") return { state: ended };
    if (exit !== "crashed") return { state: withRole(acknowledged(ended, role, turn.messages), role, { crashes: 0 }) };
    const count = crashes + 1;
    const crashed = withRole(ended, role, { crashes: count, givenUp: count >= mostCrashes });
    return { state: count < mostCrashes ? crashed : lost(crashed, role, { kind: "crashed", reason }, now) };
  },
  candidate_made: (state, { item: id, tree, commit }) => {
    const item = itemNamed(state, id);
    if (item === null) return refused("§6", `There is no item ${id}.`);
    const isOpen = item.status === "in_progress" || item.status === "awaiting_qa";
    if (!isOpen || item.handIn === null)
      return refused("T4", `${item.id} is ${item.status}, and nobody has handed it in.`);
    return { state: withItem(state, { ...item, candidate: { tree, commit } }), item: item.id };
  },
  candidate_spoiled: (state, { item: id, bugs }, asking) => {
    const item = itemNamed(state, id);
    if (item === null || item.candidate === null) return refused("§6", `${id} has no candidate.`);
    const validation = { result: "FAILED", tree: item.candidate.tree, criteria: [], steps: [], bugs } as const;
    const found = withItem(state, { ...item, validation });
    return moved(found, id, "needs_fixes", asking, { note: bugs[0]?.issue ?? "" });
  },
  committed: (state, { item, tree }, asking) => moved(state, item, "passed", asking, { tree }),
  timed_out: (state, { role, reason }, { now }) => {
    const { status } = state.roles[role];
    if (status === "awaiting_pm" || status === "awaiting_gd") return overdue(state, role, reason, now);
    return { state: lost(state, role, { kind: "timed_out", reason }, now) };
  },
  finish: (state, { status }) =>
    state.status === "running"
      ? { state: { ...state, status } }
      : refused("§4", `The session is ${state.status} already.`),
  wake_up: (state, { role }, { now }) => ({ state: posted(state, "wake_up", role, {}, now) }),
};

const fresh = { turn: null, crashes: 0, givenUp: false } as const;

/** A role that waits for an answer still does. */
function restedStatus({ status }: RoleState): RoleState["status"] {
  return status === "awaiting_pm" || status === "awaiting_gd" ? status : "idle";
}

function takenByQa(state: CrewState, role: Role, id: string): Outcome {
  const item = itemNamed(state, id);
  if (role !== "qa" || item?.status !== "awaiting_qa") return refused("§6", `${id} does not wait for the ${role}.`);
  const held = state.roles.qa.item;
  if (held !== null && held !== item.id) return refused("§6", `QA holds ${held}.`);
  return { state: withRole(state, "qa", { item: item.id }), item: item.id };
}

function acknowledged(state: CrewState, role: Role, ids: readonly string[]): CrewState {
  const left = state.queues[role].filter(({ id }) => !ids.includes(id));
  return { ...state, queues: { ...state.queues, [role]: left } };
}

/** The role cannot go on: what it holds goes back, and the PM hears of it with the item. */
function lost(state: CrewState, role: Role, setback: NonNullable<Item["setback"]>, now: string): CrewState {
  const id = state.roles[role].item;
  const item = id === null ? null : itemNamed(state, id);
  if (item !== null && isHeld(item.status)) return withItem(state, { ...item, setback });
  return posted(state, "agent_timeout", "pm", { role, setback }, now);
}

/** The first time the PM is asked, the second time the role is told to decide. */
function overdue(state: CrewState, role: Role, reason: string, now: string): Outcome {
  if (!state.roles[role].reminded) {
    const asked = posted(state, "agent_timeout", "pm", { role, reason }, now);
    return { state: withRole(asked, role, { reminded: true, awaitingSince: now }) };
  }
  const decided = posted(state, "answer", role, { answer: "Decide, and say what is uncertain." }, now);
  return { state: withRole(decided, role, { status: "idle", reminded: false, awaitingSince: null }) };
}
