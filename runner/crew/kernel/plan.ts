import { itemNamed } from "./access.js";
import type { CrewState, Item, PlannedItem } from "./state.js";

/** Says what is wrong with items that somebody wants to add; null if nothing is. */
export function wrongWith(state: CrewState, added: readonly PlannedItem[]): string | null {
  const known = new Set([...state.items, ...state.backlog].map(({ id }) => id.toLowerCase()));
  for (const { id } of added) {
    if (!isItemId(id))
      return `${JSON.stringify(id)} is no id: letters, digits, dots, dashes and underscores, 64 at most`;
    if (known.has(id.toLowerCase())) return `the id ${id} is used already`;
    known.add(id.toLowerCase());
  }
  const unknown = added.flatMap(({ dependencies }) => dependencies).find((id) => !known.has(id.toLowerCase()));
  if (unknown !== undefined) return `there is no item ${unknown} to wait for`;
  const circle = circleIn([...state.items, ...state.backlog, ...added]);
  return circle === null ? null : `these wait for each other: ${circle.join(" → ")}`;
}

const id = /^[A-Za-z0-9][\w.-]{0,63}$/;

export function isItemId(text: string): boolean {
  return id.test(text) && !text.includes("..") && !/\.(lock)?$/i.test(text) && text.toLowerCase() !== "session";
}

/** Finds items that wait for each other, the first of them named again at the end. */
export function circleIn(items: readonly PlannedItem[]): readonly string[] | null {
  const byId = new Map(items.map((item) => [item.id.toLowerCase(), item]));
  const done = new Set<string>();
  for (const { id: start } of items) {
    const path: { readonly id: string; readonly left: string[] }[] = [];
    const enter = (each: string) =>
      path.push({ id: each, left: [...(byId.get(each.toLowerCase())?.dependencies ?? [])] });
    if (!done.has(start.toLowerCase())) enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.left.pop();
      if (next === undefined) {
        done.add(top.id.toLowerCase());
        path.pop();
        continue;
      }
      const at = path.findIndex((each) => each.id.toLowerCase() === next.toLowerCase());
      if (at >= 0) return [...path.slice(at).map((each) => each.id), next];
      if (!done.has(next.toLowerCase())) enter(next);
    }
  }
  return null;
}

/** Makes items of what was planned (T1). */
export function withItems(state: CrewState, planned: readonly PlannedItem[]): CrewState {
  const places = new Map(state.places);
  for (const [at, { id: each }] of planned.entries()) places.set(each.toLowerCase(), state.items.length + at);
  return { ...state, places, items: [...state.items, ...planned.map(pending)] };
}

function pending(planned: PlannedItem): Item {
  return {
    ...planned,
    status: "pending",
    holder: null,
    assignedAt: null,
    rounds: [],
    retryCount: 0,
    pickups: 0,
    handIn: null,
    candidate: null,
    validation: null,
    setback: null,
    contributions: {},
    retrospective: null,
    playtest: null,
    askedAt: null,
  };
}

/** Takes items out of the backlog, and with each of them what it waits for. */
export function promoted(state: CrewState, ids: readonly string[]): CrewState {
  const wanted = new Set<string>();
  const todo = [...ids];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const found = state.backlog.find((item) => item.id.toLowerCase() === next?.toLowerCase());
    if (found === undefined || wanted.has(found.id) || itemNamed(state, found.id) !== null) continue;
    wanted.add(found.id);
    todo.push(...found.dependencies);
  }
  const taken = state.backlog.filter((item) => wanted.has(item.id));
  return withItems({ ...state, backlog: state.backlog.filter((item) => !wanted.has(item.id)) }, taken);
}
