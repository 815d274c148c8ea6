import { renderItem } from "../blocks/blocks.js";
import { el } from "../elements/dom.js";
import type { Group, Item } from "../log/item.js";
import { type Kind, kinds } from "../log/kinds.js";
import type { Log } from "../log/log.js";
import { Part } from "./part.js";

const itemsInPart = 50;
const nearby = "1500px 0px";
const faraway = "6000px 0px";
const framesToSettle = 12;

/** All blocks in order; only those near the window exist in the page. */
export class Conversation {
  readonly element = el("div", { class: "conversation" });
  readonly #log: Log;
  readonly #headingOf: (group: Group) => HTMLElement;
  #shownKinds: ReadonlySet<Kind> = new Set(kinds);
  #parts: Part[] = [];
  /** the items that the filter shows, in order */
  #shown: Item[] = [];
  readonly #partOf = new Map<Item, Part>();
  readonly #ofElement = new Map<Element, Part>();
  #taken = 0;
  #current: Item | null = null;
  readonly #near: IntersectionObserver;
  readonly #far: IntersectionObserver;
  readonly #filled: () => void;

  constructor(log: Log, headingOf: (group: Group) => HTMLElement, filled: () => void) {
    this.#log = log;
    this.#headingOf = headingOf;
    this.#filled = filled;
    this.#near = new IntersectionObserver((seen) => this.#cameNear(seen), { rootMargin: nearby });
    this.#far = new IntersectionObserver((seen) => this.#wentFar(seen), { rootMargin: faraway });
  }

  get shownKinds(): ReadonlySet<Kind> {
    return this.#shownKinds;
  }

  /** The reader's place: the marked block while it is in the window, otherwise the block at the window's top. */
  get here(): Item | null {
    return this.#markedInView ?? this.#topmost();
  }

  isShown(item: Item): boolean {
    return this.#shownKinds.has(item.kind);
  }

  /** Returns the first block that the filter shows of the next task with one, or of the last one before. */
  nextTask(by: number): Item | null {
    const { groups } = this.#log;
    const now = this.here?.index ?? -1;
    const ahead = by > 0 ? groups.filter(({ from }) => from > now) : groups.filter(({ from }) => from < now).reverse();
    for (const group of ahead) {
      const first = group.task === null ? null : this.#firstOf(group);
      if (first && first.index !== now) return first;
    }
    return null;
  }

  /** Takes in the log's new items. */
  grow(): void {
    const { items } = this.#log;
    const first = this.#parts.length;
    const changed = new Set<Part>();
    for (; this.#taken < items.length; this.#taken += 1) {
      const item = items[this.#taken];
      if (item && this.isShown(item)) changed.add(this.#append(item));
    }
    this.element.append(...this.#parts.slice(first).map(({ element }) => element));
    for (const part of changed) part.grown();
  }

  /** Draws a block again that was completed, for example by its answer. */
  completed(item: Item): void {
    this.#partOf.get(item)?.renew(item);
  }

  show(shownKinds: ReadonlySet<Kind>): void {
    const kept = this.here;
    this.#shownKinds = shownKinds;
    this.#near.disconnect();
    this.#far.disconnect();
    this.element.replaceChildren();
    this.#parts = [];
    this.#shown = [];
    this.#partOf.clear();
    this.#ofElement.clear();
    this.#taken = 0;
    this.grow();
    const near = kept && this.#firstShownFrom(kept);
    if (near) this.#scrollTo(near);
  }

  /** Scrolls to an item and marks it, even if the filter hides its kind. */
  reveal(item: Item, focus: boolean): HTMLElement | null {
    if (!this.isShown(item)) this.show(new Set([...this.#shownKinds, item.kind]));
    this.unmark();
    this.#current = item;
    const element = this.#scrollTo(item);
    element?.classList.add("marked");
    if (focus) element?.focus({ preventScroll: true });
    return element;
  }

  unmark(): void {
    for (const marked of this.element.querySelectorAll(".marked")) marked.classList.remove("marked");
    this.#current = null;
  }

  /** Returns the shown item `by` places from the current one, or from the one at the top of the window. */
  step(by: number): Item | null {
    const from = this.here;
    if (from === null) return this.#shown[0] ?? null;
    const at = this.#placeOf(from);
    const to = from !== this.#current && by > 0 ? at : at + by;
    return this.#shown[Math.max(0, Math.min(this.#shown.length - 1, to))] ?? null;
  }

  #firstOf(group: Group): Item | null {
    const { items } = this.#log;
    for (let at = group.from; items[at]?.group === group; at += 1) {
      const item = items[at];
      if (item && this.isShown(item)) return item;
    }
    return null;
  }

  #append(item: Item): Part {
    this.#shown.push(item);
    const last = this.#parts.at(-1);
    const fits = last && last.group === item.group && last.items.length < itemsInPart;
    const part = fits ? last : this.#newPart(item, last?.group !== item.group);
    part.items.push(item);
    this.#partOf.set(item, part);
    return part;
  }

  #newPart({ group }: Item, begins: boolean): Part {
    const render = (item: Item) => this.#render(item);
    const part = new Part(group, begins ? this.#headingOf(group) : null, render);
    this.#parts.push(part);
    this.#ofElement.set(part.element, part);
    this.#near.observe(part.element);
    this.#far.observe(part.element);
    return part;
  }

  #render(item: Item): HTMLElement {
    const element = renderItem(this.#log, item);
    if (item === this.#current) element.classList.add("marked");
    return element;
  }

  #cameNear(seen: readonly IntersectionObserverEntry[]): void {
    const near = seen.filter(({ isIntersecting }) => isIntersecting);
    for (const { target } of near) this.#ofElement.get(target)?.fill();
    if (near.length > 0) this.#filled();
  }

  #wentFar(seen: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of seen) if (!isIntersecting) this.#ofElement.get(target)?.empty();
  }

  /** Makes neighbouring parts first; heights settle over several frames, so it aligns repeatedly. */
  #scrollTo(item: Item): HTMLElement | null {
    const part = this.#partOf.get(item);
    if (part === undefined) return null;
    const at = this.#parts.indexOf(part);
    for (const near of this.#parts.slice(Math.max(0, at - 1), at + 2)) near.fill();
    this.#filled();
    const block = document.getElementById(item.anchor);
    let frames = 0;
    const align = () => {
      const top = block?.getBoundingClientRect().top;
      block?.scrollIntoView({ block: "start", behavior: "instant" });
      frames += 1;
      if (frames < framesToSettle && top !== block?.getBoundingClientRect().top) requestAnimationFrame(align);
    };
    align();
    return block;
  }

  get #markedInView(): Item | null {
    const block = this.#current && document.getElementById(this.#current.anchor);
    const { top = 0, bottom = 0 } = block?.getBoundingClientRect() ?? {};
    return bottom > 0 && top < window.innerHeight ? this.#current : null;
  }

  #topmost(): Item | null {
    const { left, width } = this.element.getBoundingClientRect();
    const middle = left + width / 2;
    for (let y = 110; y < window.innerHeight; y += 40) {
      const block = document.elementsFromPoint(middle, y).find((element) => element.hasAttribute("data-item"));
      const item = block && this.#log.items[Number(block.getAttribute("data-item"))];
      if (item) return item;
    }
    return null;
  }

  #firstShownFrom(item: Item): Item | null {
    return this.#shown[Math.min(this.#placeOf(item), this.#shown.length - 1)] ?? null;
  }

  /** Returns the place of the first shown item that is not earlier than this one. */
  #placeOf(item: Item): number {
    let [low, high] = [0, this.#shown.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#shown[middle]?.index ?? 0) < item.index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
