import type { CrewState, Item, Message, RoleState } from "./state.js";
import { type Actor, type MessageType, type Role, roles } from "./words.js";

export function itemNamed(state: CrewState, id: string): Item | null {
  const place = state.places.get(id.toLowerCase());
  return place === undefined ? null : (state.items[place] ?? null);
}

export function withItem(state: CrewState, item: Item): CrewState {
  const place = state.places.get(item.id.toLowerCase());
  if (place === undefined) throw new Error(`there is no item ${item.id}`);
  return { ...state, items: state.items.with(place, item) };
}

export function withRole(state: CrewState, role: Role, changed: Partial<RoleState>): CrewState {
  return { ...state, roles: { ...state.roles, [role]: { ...state.roles[role], ...changed } } };
}

export function holds(state: CrewState, actor: Actor, { id }: Item): boolean {
  return isRole(actor) && state.roles[actor].item === id;
}

export function isRole(name: string): name is Role {
  return (roles as readonly string[]).includes(name);
}

/** Puts a message into the queue of the role that it is for. */
export function withMessage(state: CrewState, message: Omit<Message, "id">): CrewState {
  const sent = { ...message, id: `M-${String(state.messagesSent + 1).padStart(4, "0")}` };
  const queue = [...state.queues[message.to], sent];
  return { ...state, messagesSent: state.messagesSent + 1, queues: { ...state.queues, [message.to]: queue } };
}

/** Sends a message that the kernel itself has to say. */
export function posted(
  state: CrewState,
  type: MessageType,
  to: Role,
  payload: Message["payload"],
  timestamp: string,
  more: Partial<Pick<Message, "from" | "priority" | "replyTo">> = {},
): CrewState {
  return withMessage(state, {
    from: "kernel",
    priority: "normal",
    replyTo: null,
    ...more,
    type,
    to,
    payload,
    timestamp,
  });
}
