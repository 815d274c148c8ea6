import { ConnectionBadge } from "./connection.js";
import { Conversation } from "./conversation.js";
import { button, el, visible } from "./dom.js";
import type { Facts } from "./facts.js";
import { headerOf } from "./header.js";
import type { Group, Item } from "./item.js";
import { listenToKeys, toggleHelp } from "./keyboard.js";
import { Log } from "./log.js";
import { paint } from "./search.js";
import { seedPanel } from "./seed-panel.js";
import { follow, readBlocks } from "./sources.js";
import { toggleTheme } from "./theme.js";
import { iconOf, stateOf, Timeline } from "./timeline.js";
import { Toolbar } from "./toolbar.js";

const atTheEnd = 120;
const betweenTakingMs = 80;
const betweenDrawingsMs = 250;
/** a drawing that takes long waits longer for the next, so that reading the log comes first */
const restPerDrawing = 12;

/** The page of one session: laid out once, and drawn again as its log grows. */
export class SessionPage {
  readonly #log = new Log();
  #facts: Facts;
  readonly #header = el("header", { class: "session" });
  readonly #seed = el("section", { class: "seed", "aria-label": "seed" });
  readonly #timeline = new Timeline(this.#log);
  readonly #conversation: Conversation;
  readonly #toolbar: Toolbar;
  readonly #connection = new ConnectionBadge();
  readonly #headings = new Map<Group, { readonly heading: HTMLElement; says: string }>();
  #titles: ReadonlyMap<string, string> = new Map();
  #waiting = false;
  #drawnAt = 0;
  #drawingMs = 0;
  #arrived: string[] = [];
  #read = false;
  /** true while the address names an event that has not come yet */
  #awaiting = false;
  #seedShown = "";

  constructor(facts: Facts) {
    this.#facts = facts;
    this.#conversation = new Conversation(
      this.#log,
      (group) => this.#headingOf(group),
      () => this.#paint(),
    );
    this.#toolbar = new Toolbar(this.#log, this.#conversation, {
      go: (item) => this.#go(item),
      paint: () => this.#paint(),
    });
  }

  open(): void {
    this.#layOut();
    this.#draw();
    addEventListener("hashchange", () => this.#followHash());
    document.addEventListener("click", (event) => this.#followLink(event));
    if (this.#facts.live) this.#follow();
    else
      readBlocks(
        (lines) => this.#take(lines),
        () => this.#complete(),
      );
  }

  #follow(): void {
    follow({
      take: (lines) => this.#takeSoon(lines),
      facts: (facts) => {
        this.#facts = facts;
        this.#drawSoon();
      },
      connection: (state) => this.#connection.tell(state),
    });
    this.#complete();
  }

  #layOut(): void {
    const tools = el(
      "div",
      { class: "top-buttons" },
      this.#facts.live ? el("a", { href: "../../", class: "button" }, "all sessions") : null,
      this.#facts.live ? this.#connection.element : null,
      button({ title: "light or dark (t)", "aria-label": "light or dark" }, "◐", toggleTheme),
      button({ title: "keyboard (?)", "aria-label": "keyboard" }, "?", toggleHelp),
    );
    document.body.append(
      el("a", { class: "skip", href: "#conversation" }, "to the conversation"),
      el("div", { class: "bar-top" }, this.#toolbar.element, tools),
      el(
        "div",
        { class: "page" },
        el(
          "div",
          { class: "side" },
          this.#header,
          el("nav", { "aria-label": "tasks" }, el("h2", {}, "Tasks"), this.#timeline.element),
        ),
        el(
          "main",
          { id: "conversation", tabindex: "-1" },
          this.#seed,
          this.#conversation.element,
          el("p", { class: "end dim" }, "the end of the log"),
        ),
      ),
    );
    listenToKeys({
      step: (by) => this.#go(this.#conversation.step(by)),
      task: (by) => this.#go(this.#nextTask(by)),
      search: () => this.#toolbar.focus(),
      leave: () => {
        this.#toolbar.clear();
        this.#conversation.unmark();
      },
    });
  }

  /** Collects lines that come in many pieces and takes them together. */
  #takeSoon(lines: readonly string[]): void {
    if (this.#arrived.length === 0)
      setTimeout(() => {
        const arrived = this.#arrived;
        this.#arrived = [];
        this.#take(arrived);
      }, betweenTakingMs);
    for (const line of lines) this.#arrived.push(line);
  }

  #take(lines: readonly string[]): void {
    const end = this.#facts.live && document.documentElement.scrollHeight - innerHeight - scrollY < atTheEnd;
    const before = this.#log.items.length;
    const completed = new Set<Item>();
    for (const line of lines) {
      const item = this.#log.add(line);
      if (item.index < before) completed.add(item);
    }
    for (const item of completed) this.#conversation.completed(item);
    this.#conversation.grow();
    this.#toolbar.grown();
    if (end && this.#read && scrollY > 0) scrollTo({ top: document.documentElement.scrollHeight });
    if (this.#awaiting) this.#followHash();
    this.#drawSoon();
  }

  /** Called once the log has been read as far as it goes for now. */
  #complete(): void {
    this.#read = true;
    this.#draw();
    this.#followHash();
    document.documentElement.setAttribute("data-complete", "");
  }

  #drawSoon(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    const between = Math.max(betweenDrawingsMs, this.#drawingMs * restPerDrawing);
    const wait = Math.max(0, this.#drawnAt + between - performance.now());
    setTimeout(() => this.#draw(), wait);
  }

  #draw(): void {
    this.#waiting = false;
    const began = performance.now();
    const facts = this.#facts;
    this.#titles = new Map(facts.tasks.map(({ id, title }) => [id, title]));
    document.title = visible(`${facts.label || facts.id || "session"} · tilth`);
    this.#header.replaceChildren(...headerOf(facts, this.#log));
    this.#timeline.draw(facts);
    for (const group of this.#log.groups) this.#nameHeading(group);
    this.#toolbar.draw();
    const seed = JSON.stringify([facts.seed, facts.tasks.map(({ id }) => id)]);
    if (seed !== this.#seedShown) this.#seed.replaceChildren(...seedPanel(facts));
    this.#seedShown = seed;
    this.#drawnAt = performance.now();
    this.#drawingMs = this.#drawnAt - began;
  }

  #headingOf(group: Group): HTMLElement {
    const heading = el("h2", { class: "group" });
    this.#headings.set(group, { heading, says: "" });
    this.#nameHeading(group);
    return heading;
  }

  #nameHeading(group: Group): void {
    const named = this.#headings.get(group);
    if (named === undefined) return;
    const { task, prepared } = group;
    const state = task === null ? null : stateOf(task, this.#facts, this.#log);
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

  #go(item: Item | null, anchor = item?.anchor): void {
    if (item === null) return;
    // a person stepping through matches must be able to go on typing
    const element = this.#conversation.reveal(item, !this.#toolbar.hasFocus);
    if (element && this.#toolbar.words !== "") this.#toolbar.showMatch(element);
    if (anchor?.startsWith("e")) history.replaceState(null, "", `#${anchor}`);
  }

  #followHash(): void {
    const seq = /^#e(\d{1,15})$/.exec(location.hash)?.[1];
    const item = seq === undefined ? null : this.#log.itemOf(Number(seq));
    this.#awaiting = this.#facts.live && seq !== undefined && item === null;
    if (item) this.#go(item, `e${seq}`);
    else if (seq !== undefined && !this.#facts.live) this.#toolbar.say(`there is no event ${seq}`);
  }

  /** Handles the link itself, because it must work even if the address already names that event. */
  #followLink(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest("a[href^='#e']") : null;
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, "", link.getAttribute("href"));
    this.#followHash();
  }

  #nextTask(by: number): Item | null {
    const { groups } = this.#log;
    const now = this.#conversation.here?.index ?? -1;
    const ahead = by > 0 ? groups.filter(({ from }) => from > now) : groups.filter(({ from }) => from < now).reverse();
    for (const group of ahead) {
      const first = group.task === null ? null : this.#firstOf(group);
      if (first && first.index !== now) return first;
    }
    return null;
  }

  #firstOf(group: Group): Item | null {
    const { items } = this.#log;
    for (let at = group.from; items[at]?.group === group; at += 1) {
      const item = items[at];
      if (item && this.#conversation.isShown(item)) return item;
    }
    return null;
  }

  #paint(): void {
    paint(this.#conversation.element, this.#toolbar.words);
  }
}
