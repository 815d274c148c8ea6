import { itemNamed, withItem } from "./access.js";
import { effects } from "./effects.js";
import { guards, type Move } from "./guards.js";
import type { CrewState, Item } from "./state.js";
import type { Transition } from "./transitions.js";
import type { Actor, ItemStatus } from "./words.js";

/** Who asks the kernel, and when. */
export interface Circumstances {
  readonly actor: Actor;
  readonly now: string;
  /** the kernel asks in the actor's name */
  readonly auto: boolean;
  /** the ways from status to status */
  readonly table: readonly Transition[];
}

export interface Refusal {
  /** number of a transition, or the section of the protocol */
  readonly rule: string;
  readonly sentence: string;
}

/** A state that an intent led to, and the move of an item in it, if it made one. */
export interface Step {
  readonly state: CrewState;
  readonly item?: string;
  readonly from?: ItemStatus;
  readonly to?: ItemStatus;
}

export type Outcome = Step | { readonly refused: Refusal };

export function refused(rule: string, sentence: string): Outcome {
  return { refused: { rule, sentence } };
}

/** Moves an item along the one row of the table that leads there, with everything that goes with it. */
export function moved(
  state: CrewState,
  id: string,
  to: ItemStatus,
  asking: Circumstances,
  more: Partial<Pick<Move, "agent" | "tree" | "note">> = {},
): Outcome {
  const { actor, now, table } = asking;
  const move: Move = { agent: null, tree: null, note: "", ...more, actor, now };
  const item = itemNamed(state, id);
  if (item === null) return refused("§7", `There is no item ${id}.`);
  const row = rowFor(table, item, to, actor);
  if (row === null) return noWay(table, item, to, actor);
  const reason = reasonAgainst(state, item, row, move);
  if (reason !== null) return refused(row.rule, `${item.id} cannot become ${to}: ${reason}.`);
  return { state: along(state, item, row, move), item: item.id, from: item.status, to };
}

/** Says why a row does not apply to an item now; null if it does. */
export function reasonAgainst(state: CrewState, item: Item, row: Transition, move: Move): string | null {
  for (const name of row.guards) {
    const reason = guards[name](state, item, move);
    if (reason !== null) return reason;
  }
  return null;
}

type Table = readonly Transition[];

function rowFor(table: Table, { status }: Item, to: ItemStatus, actor: Actor): Transition | null {
  return table.find((row) => row.to === to && row.from.includes(status) && row.by.includes(actor)) ?? null;
}

function noWay(table: Table, { id, status }: Item, to: ItemStatus, actor: Actor): Outcome {
  const others = table.filter((row) => row.to === to);
  const here = others.find((row) => row.from.includes(status));
  if (here !== undefined)
    return refused(here.rule, `Only ${here.by.join(" or ")} can make ${id} ${to}, and you are ${actor}.`);
  const from = [...new Set(others.flatMap((row) => row.from))];
  const [first] = others;
  const only = from.length === 0 ? "nothing becomes that" : `only what is ${from.join(" or ")} becomes that`;
  return refused(first?.rule ?? "§4", `${id} is ${status} and cannot become ${to}: ${only}.`);
}

function along(before: CrewState, item: Item, { to, effects: names }: Transition, move: Move): CrewState {
  let state = withItem(before, { ...item, status: to });
  for (const name of names) {
    const now = itemNamed(state, item.id);
    if (now !== null) state = effects[name](state, now, move);
  }
  return state;
}
