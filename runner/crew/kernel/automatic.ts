import { itemNamed } from "./access.js";
import { guards } from "./guards.js";
import type { Request } from "./kernel.js";
import { type WaitingMove, type When, waitingMoves } from "./moves.js";
import { inOrder } from "./order.js";
import type { CrewState, Item, PlannedItem } from "./state.js";
import { transitions } from "./transitions.js";
import { makers } from "./words.js";

/** So many items that can move are wanted, so that no role waits for the plan. */
const enoughItems = 5;
/** These are made for a PM that is asked about every move. */
const neverAsked = ["T18", "T19"];

/** The next thing that the kernel does by itself; null if it has nothing to do. */
export function next(state: CrewState, now: string, table = transitions): Request | null {
  if (state.status !== "running") return null;
  const soon = ending(state) ?? start(state);
  if (soon !== null) return soon;
  const when = { now, table };
  const moves = waitingMoves(state, when);
  return wordless(state, moves, when) ?? assignment(state, moves) ?? promotion(state);
}

function ending({ items, backlog, iteration, rules }: CrewState): Request | null {
  const status =
    backlog.length === 0 && items.every((item) => item.status === "completed")
      ? "completed"
      : iteration >= rules.maxIterations
        ? "max_iterations_reached"
        : null;
  return status === null ? null : { intent: { intent: "finish", status }, actor: "supervisor", auto: true };
}

/** A role that was woken with an item works on it. */
function start(state: CrewState): Request | null {
  for (const actor of makers) {
    const { turn, item: id } = state.roles[actor];
    const item = turn === null || id === null ? null : itemNamed(state, id);
    if (item?.status === "assigned") return { intent: { intent: "start", item: item.id }, actor, auto: true };
  }
  return null;
}

/** A move that is the only one of its item, and needs no words. */
function wordless(state: CrewState, moves: readonly WaitingMove[], when: When): Request | null {
  for (const [at, move] of moves.entries()) {
    const { item, to } = move;
    const isAlone = moves[at - 1]?.item !== item && moves[at + 1]?.item !== item;
    if (isAlone && to !== "assigned" && isMadeAlone(state, move, when)) {
      const intent = { intent: "advance", item: item.id, to, note: item.setback?.reason ?? "" } as const;
      return { intent, actor: "pm", auto: true };
    }
  }
  return null;
}

function isMadeAlone(state: CrewState, { item, row }: WaitingMove, { now }: When): boolean {
  if (state.rules.pmAlways && !neverAsked.includes(row.rule)) return false;
  if (row.wordless === "always" || row.wordless === "never") return row.wordless === "always";
  return guards[row.wordless](state, item, { actor: "pm", agent: null, tree: null, note: "", now }) === null;
}

/** The only item that a free role could be given; what has to be mended goes first. */
function assignment({ rules }: CrewState, moves: readonly WaitingMove[]): Request | null {
  if (rules.pmAlways) return null;
  for (const agent of makers) {
    const given = moves.filter((move) => move.agent === agent);
    const mended = given.filter(({ item }) => item.status === "needs_fixes");
    const [only, ...others] = mended.length > 0 ? mended : given;
    if (only !== undefined && others.length === 0)
      return { intent: { intent: "assign", item: only.item.id, agent }, actor: "pm", auto: true };
  }
  return null;
}

/** Takes from the backlog what items depend on, and more while few can move. */
function promotion(state: CrewState): Request | null {
  const { items, backlog } = state;
  if (backlog.length === 0) return null;
  const waitedFor = new Set(items.flatMap(({ dependencies }) => dependencies.map((id) => id.toLowerCase())));
  const needed = backlog.filter(({ id }) => waitedFor.has(id.toLowerCase()));
  const missing = enoughItems - items.filter((item) => canMove(state, item)).length;
  const more = needed.length > 0 ? needed : inOrder(backlog, [...items, ...backlog]).slice(0, Math.max(0, missing));
  if (more.length === 0) return null;
  return { intent: { intent: "promote", ids: more.map(({ id }) => id) }, actor: "pm", auto: true };
}

/** Whether something can still become of an item without a person. */
export function canMove(state: CrewState, item: Item): boolean {
  return item.status !== "completed" && !isBehindBlocked(state, item, new Set());
}

function isBehindBlocked(state: CrewState, item: Item | PlannedItem, seen: Set<string>): boolean {
  if ("status" in item && item.status === "blocked") return true;
  if (seen.has(item.id)) return false;
  seen.add(item.id);
  return item.dependencies.some((id) => {
    const other = itemNamed(state, id) ?? state.backlog.find((each) => each.id === id);
    return other !== undefined && isBehindBlocked(state, other, seen);
  });
}
