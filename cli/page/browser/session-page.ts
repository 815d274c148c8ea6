import { ConnectionBadge } from "./connection.js";
import { Conversation } from "./conversation/conversation.js";
import { Headings } from "./conversation/headings.js";
import { listenToKeys, toggleHelp } from "./conversation/keyboard.js";
import { paint } from "./conversation/search.js";
import { Toolbar } from "./conversation/toolbar.js";
import { button, el, visible } from "./elements/dom.js";
import { toggleTheme } from "./elements/theme.js";
import type { Facts } from "./log/facts.js";
import type { Item } from "./log/item.js";
import { Log } from "./log/log.js";
import { headerOf } from "./overview/header.js";
import { seedPanel } from "./overview/seed-panel.js";
import { Timeline } from "./overview/timeline.js";
import { follow, readBlocks } from "./sources.js";

const atTheEnd = 120;
const betweenTakingMs = 80;
const betweenDrawingsMs = 250;
/** a drawing that takes long waits longer for the next, so that reading the log comes first */
const restPerDrawing = 12;

/** The page of one session: laid out once, and drawn again as its log grows. */
export class SessionPage {
  readonly #log: Log;
  #facts: Facts;
  readonly #header = el("header", { class: "session" });
  readonly #seed = el("section", { class: "seed", "aria-label": "seed" });
  readonly #timeline: Timeline;
  readonly #conversation: Conversation;
  readonly #toolbar: Toolbar;
  readonly #connection = new ConnectionBadge();
  readonly #headings: Headings;
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
    this.#log = new Log(facts.tools);
    this.#timeline = new Timeline(this.#log);
    this.#headings = new Headings(this.#log, () => this.#facts);
    this.#conversation = new Conversation(
      this.#log,
      (group) => this.#headings.of(group),
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
      task: (by) => this.#go(this.#conversation.nextTask(by)),
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
    document.title = visible(`${facts.label || facts.id || "session"} · tilth`);
    this.#header.replaceChildren(...headerOf(facts, this.#log));
    this.#timeline.draw(facts);
    this.#headings.draw();
    this.#toolbar.draw();
    const seed = JSON.stringify([facts.seed, facts.tasks.map(({ id }) => id)]);
    if (seed !== this.#seedShown) this.#seed.replaceChildren(...seedPanel(facts));
    this.#seedShown = seed;
    this.#drawnAt = performance.now();
    this.#drawingMs = this.#drawnAt - began;
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

  #paint(): void {
    paint(this.#conversation.element, this.#toolbar.words);
  }
}
