import type { PlannedItem } from "./state.js";
import { type Category, type Maker, priorities } from "./words.js";

const roleOf: Readonly<Record<Category, Maker>> = {
  architectural: "developer",
  integration: "developer",
  functional: "developer",
  visual: "techartist",
  shader: "techartist",
  polish: "techartist",
};
const ranks: Readonly<Record<Category, number>> = {
  architectural: 0,
  integration: 1,
  functional: 2,
  visual: 3,
  shader: 3,
  polish: 4,
};

/** The role that an item is for. */
export function fits({ agent, category }: PlannedItem): Maker {
  return agent ?? roleOf[category];
}

/** Sorts items in the order in which they are worked on where the PM does not say otherwise. */
export function inOrder<One extends PlannedItem>(items: readonly One[], all: readonly PlannedItem[]): readonly One[] {
  const unblocks = new Map<string, number>();
  for (const { dependencies } of all) for (const id of dependencies) unblocks.set(id, (unblocks.get(id) ?? 0) + 1);
  return items.toSorted(
    (one, other) =>
      ranks[one.category] - ranks[other.category] ||
      priorities.indexOf(other.priority) - priorities.indexOf(one.priority) ||
      (unblocks.get(other.id) ?? 0) - (unblocks.get(one.id) ?? 0) ||
      (one.id < other.id ? -1 : 1),
  );
}
