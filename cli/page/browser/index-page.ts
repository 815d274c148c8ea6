import { ConnectionBadge, watchConnection } from "./connection.js";
import { button, el } from "./elements/dom.js";
import { amount, day, money } from "./elements/numbers.js";
import { badge } from "./elements/texts.js";
import { toggleTheme } from "./elements/theme.js";
import { type Fields, fieldsOf, listOf, numberOf, numberOrNull, parsed, textOf } from "./log/read.js";

/** Shows all sessions, newest first, and keeps the list up to date. */
export function showIndex(data: Fields): void {
  document.title = "Sessions · tilth";
  const list = el("ul", { class: "sessions" });
  const draw = (rows: unknown) => list.replaceChildren(...rowsOf(rows));
  draw(data.sessions);
  const theme = button({ title: "light or dark", "aria-label": "light or dark" }, "◐", toggleTheme);
  const connection = new ConnectionBadge();
  const tools = el("div", { class: "top-buttons" }, connection.element, theme);
  document.body.append(
    el("main", { class: "index" }, el("div", { class: "titles" }, el("h1", {}, "Sessions"), tools), list),
  );
  document.addEventListener("keydown", ({ key }) => key === "t" && toggleTheme());
  const stream = new EventSource("events");
  stream.addEventListener("sessions", ({ data }: MessageEvent<string>) => draw(parsed(data)));
  watchConnection(stream, (state) => connection.tell(state));
  document.documentElement.setAttribute("data-complete", "");
}

function rowsOf(rows: unknown): readonly HTMLElement[] {
  const all = listOf(rows).map(fieldsOf);
  return all.length === 0 ? [el("li", { class: "dim" }, "There are no sessions yet.")] : all.map(row);
}

function row(session: Fields): HTMLElement {
  const tasks = fieldsOf(session.tasks);
  const counts = session.tasks === null ? "" : countsOf(tasks);
  const held = session.held_by !== null && session.held_by !== undefined;
  const cost = numberOrNull(session.cost);
  const tokens = numberOf(session.tokens);
  const facts = [
    counts,
    tokens === 0 ? "" : `${amount(tokens)} counted tokens`,
    cost === null ? "" : money(cost),
    day(Date.parse(textOf(session.created_at))),
  ].filter((text) => text !== "");
  const problem = textOf(session.problem);
  return el(
    "li",
    {},
    el(
      "a",
      { href: `s/${textOf(session.id)}/` },
      el(
        "span",
        { class: "titles" },
        el("strong", {}, textOf(session.label) || textOf(session.id)),
        statusOf(session, held),
      ),
      el("span", { class: "dim" }, el("span", { class: "mono" }, textOf(session.id)), ` · ${facts.join(" · ")}`),
      el("span", { class: "dim" }, textOf(session.source)),
      problem === "" ? null : el("span", { class: "note bad" }, problem),
    ),
  );
}

function countsOf(tasks: Fields): string {
  return ["done", "failed", "pending"]
    .filter((name) => numberOf(tasks[name]) > 0)
    .map((name) => `${numberOf(tasks[name])} ${name}`)
    .join(", ");
}

function statusOf(session: Fields, held: boolean): HTMLElement {
  const [status, stop] = [textOf(session.status), textOf(session.last_stop)];
  if (held) return el("span", { class: "badge live" }, status || "running");
  if (stop !== "" && status !== "all_done") return badge(false, `stopped: ${stop.replaceAll("_", " ")}`);
  return badge(status === "all_done" ? true : null, status.replaceAll("_", " ") || "unreadable");
}
