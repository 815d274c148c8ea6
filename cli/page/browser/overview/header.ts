import { countedTokens, type Usage } from "../../../../runner/session/summary/usage.js";
import { tokenParts } from "../../../output/token-parts.js";
import { el } from "../elements/dom.js";
import { amount, counted, day, money, span } from "../elements/numbers.js";
import { badge, list } from "../elements/texts.js";
import type { Facts } from "../log/facts.js";
import type { Log } from "../log/log.js";
import { fieldsOf, numberOf, textOf } from "../log/read.js";

/** Shows session, source, status and usage. */
export function headerOf(facts: Facts, log: Log): readonly Node[] {
  const { tallies } = log;
  const source = textOf(facts.session.source) || textOf(facts.checkpoint.source) || (tallies.source ?? "");
  const [good, status] = statusOf(facts, log);
  const held = Object.keys(fieldsOf(facts.session.held_by)).length > 0 && tallies.stop === null;
  return [
    el(
      "div",
      { class: "titles" },
      el("h1", {}, facts.label || facts.id || "a session"),
      held ? el("span", { class: "badge live" }, status) : badge(good, status),
    ),
    el(
      "p",
      { class: "dim" },
      el("span", { class: "mono" }, facts.id),
      source === "" ? null : ` · ${source}`,
      Number.isNaN(tallies.firstAt) ? null : ` · ${day(tallies.firstAt)}`,
    ),
    el("dl", { class: "stats" }, ...stats(facts, log)),
    tallies.stop && tallies.stop.reason !== "all_done" ? stopNote(tallies.stop) : el("span"),
    ...(facts.problems.length === 0
      ? []
      : [el("div", { class: "problems", role: "alert" }, el("h2", {}, "Could not be read"), list(facts.problems))]),
  ];
}

/** Takes the status from the log, which is newer than any file made from it. */
function statusOf(facts: Facts, { tallies }: Log): readonly [boolean | null, string] {
  if (tallies.stop) {
    const done = tallies.stop.reason === "all_done";
    return [done, done ? "all done" : `stopped: ${tallies.stop.reason.replaceAll("_", " ")}`];
  }
  return [null, (textOf(facts.session.status) || "status unknown").replaceAll("_", " ")];
}

function stopNote({ detail, hint }: { readonly detail: string; readonly hint: string }): HTMLElement {
  return el(
    "p",
    { class: "note bad" },
    [detail, hint === "" ? "" : `→ ${hint}`].filter((text) => text !== "").join("  "),
  );
}

function stats(facts: Facts, { tallies, lines }: Log): readonly HTMLElement[] {
  const caps = fieldsOf(facts.summary.caps);
  const { usage } = tallies;
  const parts = tokenParts(usage, amount);
  const done = [...tallies.tasks.values()].filter(({ outcome }) => outcome === "done").length;
  const all = Math.max(facts.tasks.length, tallies.tasks.size);
  return [
    stat("tasks", `${done} of ${all} done`),
    stat("time", span(tallies.activeMs), percentOf(caps.wall_clock_minutes)),
    stat("tokens", amount(usage.total_tokens), ofTokensCap(caps.tokens, usage)),
    ...(parts === "" ? [] : [stat("of the tokens", parts)]),
    stat("cost", usage.cost === null ? "unknown" : money(usage.cost), percentOf(caps.cost_usd, usage.cost)),
    stat("iterations", String(tallies.iterations)),
    stat("log", counted(lines.length, "event")),
  ];
}

function ofTokensCap(cap: unknown, usage: Usage): string | null {
  const counted = countedTokens(usage);
  const percent = percentOf(cap, counted);
  if (percent === null || counted === usage.total_tokens) return percent;
  return `${amount(counted)} counted, ${percent}`;
}

/** Uses the log's own count if there is one: it is newer than the summary. */
function percentOf(cap: unknown, used: number | null = null): string | null {
  const limit = numberOf(fieldsOf(cap).limit);
  if (limit === 0) return null;
  const percent = used === null ? numberOf(fieldsOf(cap).percent) : Math.round((used / limit) * 1000) / 10;
  return `${percent} % of its cap`;
}

function stat(name: string, value: string, more: string | null = null): HTMLElement {
  return el("div", {}, el("dt", {}, name), el("dd", {}, value, more === null ? null : el("small", {}, ` ${more}`)));
}
