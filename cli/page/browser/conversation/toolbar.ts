import { button, el } from "../elements/dom.js";
import type { Item } from "../log/item.js";
import { type Kind, kinds } from "../log/kinds.js";
import type { Log } from "../log/log.js";
import type { Conversation } from "./conversation.js";
import { rangesOf, Search } from "./search.js";

interface Acts {
  readonly go: (item: Item) => void;
  readonly paint: () => void;
}

const foldFillsMs = 30;

/** The bar with filters and search. */
export class Toolbar {
  readonly element: HTMLElement;
  readonly #log: Log;
  readonly #conversation: Conversation;
  readonly #acts: Acts;
  readonly #search: Search;
  readonly #filters = new Map<Kind, HTMLElement>();
  readonly #input = document.createElement("input");
  readonly #count = el("span", { class: "count", role: "status", "aria-live": "polite" });
  #at = -1;
  #waiting = 0;

  constructor(log: Log, conversation: Conversation, acts: Acts) {
    this.#log = log;
    this.#conversation = conversation;
    this.#acts = acts;
    this.#search = new Search(log, () => this.#tell());
    this.element = el("div", { class: "toolbar" }, this.#searchBox(), this.#filterBox());
  }

  get words(): string {
    return this.#search.words;
  }

  get hasFocus(): boolean {
    return this.element.contains(document.activeElement);
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  clear(): void {
    this.#input.value = "";
    this.#input.blur();
    this.#look();
  }

  grown(): void {
    this.#search.goOn();
  }

  say(text: string): void {
    this.#count.textContent = text;
  }

  /** Shows the number of blocks of each kind, and which kinds are shown. */
  draw(): void {
    const counts = new Map<Kind, number>();
    for (const { kind } of this.#log.items) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const [kind, filter] of this.#filters) {
      filter.setAttribute("aria-pressed", String(this.#conversation.shownKinds.has(kind)));
      filter.replaceChildren(kind, el("small", {}, ` ${counts.get(kind) ?? 0}`));
    }
  }

  /** Opens whatever hides the words in a block, and scrolls to the first match. */
  showMatch(block: HTMLElement): void {
    const says = (part: Element) => rangesOf(part, this.words, 1).length > 0;
    const folds = says(block) ? [] : [...block.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    for (const fold of folds) fold.open = true;
    // a fold gets its content only after it was opened
    setTimeout(() => {
      for (const more of block.querySelectorAll<HTMLElement>("button.more")) if (!says(block)) more.click();
      for (const fold of folds) if (!says(fold)) fold.open = false;
      this.#acts.paint();
      const [first] = rangesOf(block, this.words, 1);
      const top = first?.getBoundingClientRect().top ?? 0;
      if (top > innerHeight * 0.9) scrollBy({ top: top - innerHeight / 3, behavior: "instant" });
    }, foldFillsMs);
  }

  #searchBox(): HTMLElement {
    this.#input.type = "search";
    this.#input.placeholder = "search the log";
    this.#input.setAttribute("aria-label", "search the log");
    this.#input.addEventListener("input", () => {
      clearTimeout(this.#waiting);
      this.#waiting = setTimeout(() => this.#look(), 120);
    });
    this.#input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      clearTimeout(this.#waiting);
      if (this.#input.value.trim() === this.words) this.#step(event.shiftKey ? -1 : 1);
      else this.#look();
    });
    return el(
      "div",
      { class: "search", role: "search" },
      this.#input,
      this.#count,
      button({ title: "previous (Shift+Enter)", "aria-label": "previous match" }, "↑", () => this.#step(-1)),
      button({ title: "next (Enter)", "aria-label": "next match" }, "↓", () => this.#step(1)),
    );
  }

  #filterBox(): HTMLElement {
    for (const kind of kinds)
      this.#filters.set(
        kind,
        button({ class: `filter ${kind}`, "aria-pressed": "true" }, kind, () => this.#toggle(kind)),
      );
    return el("div", { class: "filters", role: "group", "aria-label": "kinds of events" }, ...this.#filters.values());
  }

  #toggle(kind: Kind): void {
    const shown = new Set(this.#conversation.shownKinds);
    if (!shown.delete(kind)) shown.add(kind);
    this.#conversation.show(shown);
    this.draw();
  }

  #look(): void {
    this.#at = -1;
    this.#search.start(this.#input.value);
    this.#acts.paint();
  }

  #step(by: number): void {
    const { items } = this.#search;
    if (items.length === 0) return;
    const from = this.#at === -1 && by < 0 ? 0 : this.#at;
    this.#at = (from + by + items.length) % items.length;
    this.#tell();
    const item = items[this.#at];
    if (item === undefined) return;
    this.#acts.go(item);
    this.draw();
  }

  #tell(): void {
    const { items, isDone } = this.#search;
    const at = this.#at === -1 ? "" : `${this.#at + 1} / `;
    const found = items.length === 0 ? (isDone ? "none" : "") : `${at}${items.length}`;
    this.#count.textContent = this.words === "" ? "" : `${found}${isDone ? "" : "…"}`;
  }
}
