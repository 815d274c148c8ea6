import { el } from "../elements/dom.js";
import { amount, counted, money, span } from "../elements/numbers.js";
import type { Facts, PlannedTask } from "../log/facts.js";
import type { Log } from "../log/log.js";
import type { Mark, TaskTally } from "../log/tallies.js";

const signs: Readonly<Record<Mark, readonly [sign: string, says: string]>> = {
  bad_case: ["?", "a case that could not be read"],
  check_failed: ["!", "checks failed"],
  counter_failed: ["≠", "counter-check failed"],
  rejected: ["✗", "rejected"],
  accepted: ["✓", "accepted"],
};
const mostMarks = 24;

export type TaskState = "done" | "failed" | "working" | "pending";

/** All tasks, each with its time, its usage and how it was judged; a click goes to its place. */
export class Timeline {
  readonly element = el("ol", { class: "timeline" });
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  draw(facts: Facts): void {
    const { tallies } = this.#log;
    const planned = new Map(facts.tasks.map((task) => [task.id, task]));
    const unplanned = [...tallies.tasks.keys()].filter((id) => !planned.has(id));
    const all: readonly Pick<PlannedTask, "id" | "title">[] = [
      ...facts.tasks,
      ...unplanned.map((id) => ({ id, title: "" })),
    ];
    this.element.replaceChildren(...all.map((task) => this.#row(task, facts)));
  }

  #row({ id, title }: Pick<PlannedTask, "id" | "title">, facts: Facts): HTMLElement {
    const tally = this.#log.tallies.tasks.get(id) ?? null;
    const state = stateOf(id, facts, this.#log);
    const name = el(
      "span",
      { class: "task-name" },
      el("span", { class: "state", title: state }, iconOf(state)),
      el("span", { class: "mono dim" }, `${id} `),
      title,
    );
    const content = [name, ...(tally ? [this.#bar(tally), used(tally)] : [])];
    const row = tally
      ? el("a", { class: "task", href: `#${tally.first.anchor}`, "data-task": id }, ...content)
      : el("span", { class: "task" }, ...content);
    return el("li", { class: state, "aria-label": `${id}, ${state}` }, row);
  }

  #bar({ from, to }: TaskTally): HTMLElement {
    const whole = Math.max(1, this.#log.tallies.activeMs);
    const inner = el("span", { class: "bar-inside" });
    inner.style.marginInlineStart = `${(100 * from) / whole}%`;
    inner.style.inlineSize = `max(3px, ${(100 * (to - from)) / whole}%)`;
    return el("span", { class: "bar", "aria-hidden": "true" }, inner);
  }
}

export function stateOf(id: string, facts: Facts, { tallies }: Log): TaskState {
  const outcome = tallies.tasks.get(id)?.outcome ?? null;
  if (outcome === "done") return "done";
  if (tallies.working === id) return "working";
  if (outcome !== null) return "failed";
  const status = facts.tasks.find((task) => task.id === id)?.status;
  return status === "done" || status === "failed" ? status : "pending";
}

export function iconOf(state: TaskState): string {
  return { done: "✓", failed: "✗", working: "●", pending: "○" }[state];
}

function used(tally: TaskTally): HTMLElement {
  const facts = [
    span(tally.workedMs),
    `${amount(tally.usage.total_tokens)} tokens`,
    counted(tally.iterations, "iteration"),
    ...(tally.usage.cost === null ? [] : [money(tally.usage.cost)]),
  ];
  return el("span", { class: "used" }, el("span", { class: "dim" }, facts.join(" · ")), marksOf(tally));
}

function marksOf({ marks }: TaskTally): HTMLElement {
  const shown = marks.slice(-mostMarks).map(({ mark }) => {
    const [sign, says] = signs[mark];
    return el("span", { class: `mark ${mark}`, title: says, "aria-label": says, role: "img" }, sign);
  });
  const more = marks.length - shown.length;
  return el("span", { class: "marks" }, more > 0 ? `+${more} ` : null, ...shown);
}
