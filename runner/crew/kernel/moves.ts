import type { Move } from "./guards.js";
import { type Circumstances, reasonAgainst } from "./move.js";
import { fits } from "./order.js";
import type { CrewState, Item, Message } from "./state.js";
import type { Transition } from "./transitions.js";
import type { ItemStatus, Maker, Role } from "./words.js";

/** A move that the PM could make. */
export interface WaitingMove {
  readonly item: Item;
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

function movesOf(state: CrewState, item: Item, { now, table }: When): readonly WaitingMove[] {
  const rows = table.filter(({ from, by }) => from.includes(item.status) && by.includes("pm"));
  return rows.flatMap((row) => {
    const agent = row.to === "assigned" ? agentFor(item) : null;
    const move: Move = { actor: "pm", agent, tree: null, note: "", now };
    return reasonAgainst(state, item, row, move) === null ? [{ item, to: row.to, agent, row }] : [];
  });
}

function agentFor(item: Item): Maker {
  return item.status === "needs_fixes" && item.holder !== null ? item.holder : fits(item);
}

/** Questions that wait for an answer of a role. */
export function questionsFor(state: CrewState, role: Role): readonly Message[] {
  return state.queues[role].filter(({ type }) => type === "question" || type === "design_question");
}
