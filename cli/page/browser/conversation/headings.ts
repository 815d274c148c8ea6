import { el } from "../elements/dom.js";
import type { Facts } from "../log/facts.js";
import type { Group } from "../log/item.js";
import type { Log } from "../log/log.js";
import { iconOf, stateOf } from "../overview/timeline.js";

/** The headings of the conversation's groups, which change with the state of their tasks. */
export class Headings {
  readonly #log: Log;
  readonly #facts: () => Facts;
  readonly #headings = new Map<Group, { readonly heading: HTMLElement; says: string }>();
  #titles: ReadonlyMap<string, string> = new Map();

  constructor(log: Log, facts: () => Facts) {
    this.#log = log;
    this.#facts = facts;
  }

  of(group: Group): HTMLElement {
    const heading = el("h2", { class: "group" });
    this.#headings.set(group, { heading, says: "" });
    this.#name(group);
    return heading;
  }

  draw(): void {
    this.#titles = new Map(this.#facts().tasks.map(({ id, title }) => [id, title]));
    for (const group of this.#log.groups) this.#name(group);
  }

  #name(group: Group): void {
    const named = this.#headings.get(group);
    if (named === undefined) return;
    const { task, prepared } = group;
    const state = task === null ? null : stateOf(task, this.#facts(), this.#log);
    const title = task === null ? (prepared ? "Session" : "Preparation") : (this.#titles.get(task) ?? "");
    const says = `${state} ${title}`;
    if (says === named.says) return;
    named.says = says;
    named.heading.replaceChildren(
      ...(state === null ? [] : [el("span", { class: `state ${state}`, title: state }, iconOf(state))]),
      ...(task === null ? [] : [el("span", { class: "mono dim" }, `${task} `)]),
      el("span", {}, title),
    );
  }
}
