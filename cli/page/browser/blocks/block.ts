import { el } from "../elements/dom.js";
import { clock, shortId } from "../elements/numbers.js";
import type { Item, LoggedEvent } from "../log/item.js";
import { type Fields, textOf, textOrNull } from "../log/read.js";

/** A renderer's content for an item; the frame around it is the same for all. */
export interface Block {
  readonly label: string;
  readonly title?: string | Node | null;
  readonly mono?: boolean;
  readonly badge?: Node | null;
  readonly facts?: readonly (string | null)[];
  readonly body?: readonly (Node | null)[];
  /** colour for something that went well or badly */
  readonly tone?: "good" | "bad" | "quiet";
}

export function framed(block: Block, item: Item, events: readonly LoggedEvent[]): HTMLElement {
  const { label, title = null, badge = null, facts = [], body = [], tone = "plain" } = block;
  const at = events[0]?.at ?? Number.NaN;
  const said = facts.filter((fact) => fact !== null && fact !== "").join(" · ");
  const time = Number.isNaN(at) ? null : el("time", { datetime: new Date(at).toISOString() }, clock(at));
  const head = el(
    "header",
    {},
    el("h3", { class: "label" }, label),
    title === null ? null : el("span", { class: block.mono ? "title mono" : "title" }, title),
    badge,
    el("span", { class: "meta" }, said),
    el("span", { class: "when" }, time, ...placesOf(events)),
  );
  const attributes = {
    id: item.anchor,
    class: `event ${item.kind} ${tone}`,
    tabindex: "-1",
    "data-item": `${item.index}`,
  };
  return el("article", attributes, head, ...body.filter((part) => part !== null));
}

/** Makes a link to each event of the block. */
function placesOf(events: readonly LoggedEvent[]): readonly HTMLElement[] {
  const known = events.flatMap(({ seq }) => (seq === null ? [] : [seq]));
  return known.map((seq) => el("a", { class: "place", href: `#e${seq}`, title: `link to event ${seq}` }, `#${seq}`));
}

/** Names the tree that an event is about. */
export function treeOf({ tree }: Fields): string | null {
  return textOrNull(tree) === null ? null : `tree ${shortId(textOf(tree))}`;
}
