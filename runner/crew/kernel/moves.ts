import type { Move } from "./guards.js";
import { type Circumstances, reasonAgainst } from "./move.js";
import { fits, inOrder } from "./order.js";
import type { CrewState, Item, Message } from "./state.js";
import type { Transition } from "./transitions.js";
import type { ItemStatus, Maker, Role } from "./words.js";

/** A move that the PM could make. */
export interface WaitingMove {
  readonly item: string;
  readonly to: ItemStatus;
  readonly agent: Maker | null;
  readonly row: Transition;
}

/** The time, and the ways from status to status. */
export type When = Pick<Circumstances, "now" | "table">;

/** Everything that the PM could do with the items as they are. */
export function waitingMoves(state: CrewState, when: When): readonly WaitingMove[] {
  return state.items.flatMap((item) => movesOf(state, item, when));
}

export function movesOf(state: CrewState, item: Item, { now, table }: When): readonly WaitingMove[] {
  return table.flatMap((row) => {
    if (!row.from.includes(item.status) || !row.by.includes("pm")) return [];
    const agent = row.to === "assigned" ? agentFor(item) : null;
    const move: Move = { actor: "pm", agent, tree: null, note: "", now };
    return reasonAgainst(state, item, row, move) === null ? [{ item: item.id, to: row.to, agent, row }] : [];
  });
}

function agentFor(item: Item): Maker {
  return item.status === "needs_fixes" && item.holder !== null ? item.holder : fits(item);
}

/** Questions that wait for an answer of a role. */
export function questionsFor(state: CrewState, role: Role): readonly Message[] {
  return state.queues[role].filter(({ type }) => type === "question" || type === "design_question");
}

/** Items that a role could be given now, in the order in which they are worked on. */
export function itemsFor(state: CrewState, role: Maker, when: When): readonly Item[] {
  const free = state.items.filter((item) => movesOf(state, item, when).some(({ agent }) => agent === role));
  return inOrder(free, state.items);
}
