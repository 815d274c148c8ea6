import { type DiffLine, diffLine, stretches } from "./diff.js";
import { button, el } from "./dom.js";
import { counted } from "./numbers.js";

const longestLine = 2_000;
const cutHere = " … ";

/** Shows a text as it was written: its first lines, and a button for the rest. */
export function longText(text: string, lines = 14): HTMLElement {
  const all = text.replaceAll("\r\n", "\n").replace(/\n+$/, "").split("\n");
  return folded(all, lines, (some) => some.map(inStretches(all)));
}

export function coloured(all: readonly DiffLine[], lines = 24): HTMLElement {
  const box = folded(all, lines, (some) => some.map(shownLine));
  box.classList.add("diff");
  return box;
}

/** Shows a model's prose, wrapped and in the page's own type. */
export function prose(text: string, lines = 12): HTMLElement {
  const box = longText(text, lines);
  box.classList.add("prose");
  return box;
}

/** Closed at first; the content is made when somebody opens it. */
export function fold(title: string, more: string, inside: () => readonly Node[]): HTMLElement {
  const details = el("details", { class: "fold" }, el("summary", {}, title, el("span", { class: "dim" }, ` ${more}`)));
  const fill = () => {
    if (details.childElementCount === 1) details.append(...inside());
  };
  details.addEventListener("toggle", fill, { once: true });
  return details;
}

export function openFold(details: HTMLElement): HTMLElement {
  details.setAttribute("open", "");
  return details;
}

export function pairs(rows: readonly (readonly [name: string, value: string | null])[]): HTMLElement {
  const said = rows.filter(([, value]) => value !== null && value !== "");
  return el("dl", { class: "pairs" }, ...said.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

export function list(items: readonly string[], kind: "dots" | "mono" | "criteria" = "dots"): HTMLElement {
  return el("ul", { class: kind }, ...items.map((item) => el("li", {}, item)));
}

export function badge(good: boolean | null, text: string): HTMLElement {
  return el("span", { class: `badge ${good === null ? "plain" : good ? "good" : "bad"}` }, text);
}

export function json(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "nothing";
}

function folded<T>(all: readonly T[], lines: number, show: (some: readonly T[]) => readonly Node[]): HTMLElement {
  const pre = el("pre", {});
  const box = el("div", { class: "text" }, pre);
  // one more line takes no more height than the button that would hide it
  if (all.length <= lines + 1 && !tooLong(all)) {
    pre.append(...show(all));
    return box;
  }
  const some = all.slice(0, lines).map(shortened);
  pre.append(...show(some));
  const rest = all.length - some.length;
  const label = rest > 0 ? `show all ${counted(all.length, "line")}` : "show long lines whole";
  const more = button({ class: "more" }, label, () => {
    pre.replaceChildren(...show(all));
    more.remove();
  });
  box.append(more);
  return box;
}

function tooLong(all: readonly unknown[]): boolean {
  return all.some((line) => typeof line === "string" && line.length > longestLine);
}

function shortened<T>(line: T): T {
  if (typeof line !== "string" || line.length <= longestLine) return line;
  return `${line.slice(0, longestLine)}${cutHere}` as T;
}

/** Colours the lines of a diff wherever they are in a text. */
function inStretches(all: readonly string[]): (line: string, at: number) => Node {
  const isDiff = stretches(all).flatMap(({ diff, lines }) => lines.map(() => diff));
  return (line, at) => (isDiff[at] ? shownLine(diffLine(line)) : el("span", { class: "line" }, line, "\n"));
}

function shownLine({ kind, text }: DiffLine): HTMLElement {
  return el("span", { class: `line ${kind}` }, text === "" ? " " : text, "\n");
}
