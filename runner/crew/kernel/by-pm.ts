import { itemNamed, withItem } from "./access.js";
import type { Handlers } from "./asked.js";
import { moved, refused } from "./move.js";
import { circleIn, promoted, withItems, wrongWith } from "./plan.js";

/** The moves that a PM makes by name. The others follow from what somebody else did. */
const byName = ["T10", "T11", "T12", "T13", "T14", "T15", "T16", "T17"];
const askedOfThePmAlways = ["T4", "T6", "T7", "T8"];
const mostSkill = 4 * 1024;

export const byPm: Handlers<
  "assign" | "set_priority" | "edit_item" | "add_items" | "promote" | "advance" | "write_skill" | "write_retrospective"
> = {
  assign: (state, { item, agent }, asking) => moved(state, item, "assigned", asking, { agent }),
  set_priority: (state, { item: id, priority }) => {
    const item = itemNamed(state, id);
    if (item === null) return refused("§7", `There is no item ${id}.`);
    return { state: withItem(state, { ...item, priority }), item: item.id };
  },
  /** Adds to criteria, steps and dependencies, because those that were staged stay. */
  edit_item: (state, { item: id, intent: _, ...changes }) => {
    const item = itemNamed(state, id);
    if (item === null) return refused("§7", `There is no item ${id}.`);
    if (item.status !== "pending") return refused("§7", `${item.id} is ${item.status}: only a pending item is edited.`);
    const { title = item.title, description = item.description } = changes;
    const more = (had: readonly string[], given: readonly string[] = []) => [...new Set([...had, ...given])];
    const edited = {
      ...item,
      title,
      description,
      acceptanceCriteria: more(item.acceptanceCriteria, changes.acceptanceCriteria),
      verificationSteps: more(item.verificationSteps, changes.verificationSteps),
      dependencies: more(item.dependencies, changes.dependencies),
    };
    const others = [...state.items, ...state.backlog].filter((each) => each !== item);
    const unknown = edited.dependencies.find((each) => !others.some((other) => other.id === each));
    if (unknown !== undefined) return refused("§7", `There is no other item ${unknown} to wait for.`);
    const circle = circleIn([...others, edited]);
    if (circle !== null) return refused("§7", `These would wait for each other: ${circle.join(" → ")}.`);
    return { state: withItem(state, edited), item: item.id };
  },
  add_items: (state, { items }) => {
    const wrong = wrongWith(state, items);
    return wrong === null ? { state: withItems(state, items) } : refused("T1", `Nothing was added: ${wrong}.`);
  },
  promote: (state, { ids }) => {
    const unknown = ids.find((id) => !state.backlog.some((item) => item.id === id));
    if (unknown !== undefined) return refused("T1", `There is no ${unknown} in the backlog.`);
    return { state: promoted(state, ids) };
  },
  advance: (state, { item: id, to, note }, asking) => {
    const item = itemNamed(state, id);
    const row = asking.table.find((each) => each.to === to && item !== null && each.from.includes(item.status));
    const named = state.rules.pmAlways ? [...byName, ...askedOfThePmAlways] : byName;
    if (row !== undefined && !asking.auto && !named.includes(row.rule) && row.by.includes("pm"))
      return refused(row.rule, `${id} becomes ${to} by itself, or by assign.`);
    const agent = to === "assigned" ? (item?.holder ?? null) : null;
    return moved(state, id, to, asking, { agent, note });
  },
  write_skill: (state, { role, text }) => {
    if (!state.items.some(({ status }) => status === "skill_research"))
      return refused("§7", "Skills are written while an item is in skill_research.");
    if (Buffer.byteLength(text) > mostSkill) return refused("§7", "A skill has 4 KB at most.");
    return { state: { ...state, skills: { ...state.skills, [role]: text } } };
  },
  write_retrospective: (state, { item: id, text }) => {
    const item = itemNamed(state, id);
    if (item?.status !== "in_retrospective") return refused("T11", `Nobody looks back at ${id} now.`);
    return { state: withItem(state, { ...item, retrospective: text }), item: item.id };
  },
};
