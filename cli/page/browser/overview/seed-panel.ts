import { named } from "../blocks/tools.js";
import { el } from "../elements/dom.js";
import { amount, day } from "../elements/numbers.js";
import { fold, list, prose } from "../elements/texts.js";
import type { Facts, PlannedTask } from "../log/facts.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf, textsOf } from "../log/read.js";

const mostLines = 20;

/** Shows the interview's results: the seed in short, and what is open about it. */
export function seedPanel({ seed, tasks }: Facts): readonly Node[] {
  const plan =
    tasks.length === 0 ? null : fold("Tasks and their criteria", String(tasks.length), () => tasks.map(planned));
  if (seed === null) return [el("h2", {}, "Seed"), plan ?? el("p", { class: "dim" }, "There is no seed to show.")];
  const appended = listOf(seed.appended).map(fieldsOf);
  return [
    el("h2", {}, "Seed"),
    ...interview(seed),
    ...appended.map((one, at) =>
      el("div", { class: "appended" }, el("h3", {}, `Appended, ${at + 1}`), ...interview(one)),
    ),
    ...(plan ? [plan] : []),
  ];
}

function interview(record: Fields): readonly Node[] {
  const tokens = numberOf(fieldsOf(record.tokens).total);
  const model = textOf(record.interviewer_model);
  const by = model === "" ? "hand-written" : `interviewed by ${model}, ${amount(tokens)} tokens`;
  const notes = textOf(record.scope_notes);
  return [
    el("p", { class: "dim" }, [by, day(Date.parse(textOf(record.ended_at)))].filter((text) => text !== "").join(" · ")),
    ...inShort(textOf(record.tldr)),
    ...named("Open questions", textsOf(record.open_questions)),
    ...named("Blockers", textsOf(record.blockers)),
    ...(notes.trim() === "" ? [] : [el("h4", {}, "Scope"), prose(notes, mostLines)]),
  ];
}

function inShort(tldr: string): readonly Node[] {
  const lines = tldr.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return [];
  const points = lines.length <= mostLines && lines.every((line) => line.startsWith("- "));
  return [points ? list(lines.map((line) => line.slice(2))) : prose(tldr, mostLines)];
}

function planned({ id, title, description, criteria }: PlannedTask): HTMLElement {
  return el(
    "div",
    { class: "planned" },
    el("h4", {}, `${id} ${title}`),
    prose(description, 8),
    list(criteria, "criteria"),
  );
}
