import { el } from "../elements/dom.js";
import type { Group, Item } from "../log/item.js";
import type { Kind } from "../log/kinds.js";

/** The approximate height of a block of each kind, used until it is made. */
const usualHeight: Readonly<Record<Kind, number>> = {
  model: 96,
  tools: 190,
  checks: 150,
  verdicts: 240,
  commits: 84,
  other: 110,
};

/** Some blocks of one group that are made and dropped together; while they are dropped, the part keeps their height. */
export class Part {
  readonly items: Item[] = [];
  readonly element: HTMLElement;
  readonly #body = el("div", { class: "blocks" });
  readonly #render: (item: Item) => HTMLElement;
  #made = 0;
  #filled = false;
  #touched = false;

  constructor(
    readonly group: Group,
    heading: HTMLElement | null,
    render: (item: Item) => HTMLElement,
  ) {
    this.#render = render;
    this.element = el("section", { class: heading ? "part first" : "part" }, heading, this.#body);
    // a part with something opened in it is not dropped
    this.#body.addEventListener("click", () => {
      this.#touched = true;
    });
  }

  /** Called after items were added. */
  grown(): void {
    if (this.#filled) this.#make();
    else this.#keep(this.items.reduce((sum, { kind }) => sum + usualHeight[kind], 0));
  }

  fill(): void {
    if (this.#filled) return;
    this.#filled = true;
    this.#make();
    this.#body.style.minHeight = "";
  }

  empty(): void {
    if (!this.#filled || this.#touched) return;
    this.#keep(this.#body.offsetHeight);
    this.#filled = false;
    this.#made = 0;
    this.#body.replaceChildren();
  }

  renew(item: Item): void {
    const old = this.#filled ? this.#body.children[this.items.indexOf(item)] : undefined;
    old?.replaceWith(this.#render(item));
  }

  #make(): void {
    this.#body.append(...this.items.slice(this.#made).map(this.#render));
    this.#made = this.items.length;
  }

  #keep(height: number): void {
    this.#body.style.minHeight = `${height}px`;
  }
}
