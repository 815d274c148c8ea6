import { lookOf, type ToolLook, type ToolLooks } from "../../../../runner/tools/tool/look.js";
import { added, changed } from "../elements/diff.js";
import { el } from "../elements/dom.js";
import { span } from "../elements/numbers.js";
import { badge, coloured, fold, json, list, longText, prose } from "../elements/texts.js";
import type { LoggedEvent } from "../log/item.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf, textOrNull, textsOf } from "../log/read.js";
import type { Block } from "./block.js";

const answerLines = 8;

/** Shows a call with its hooks and its answer. */
export function toolCall(events: readonly LoggedEvent[], { tools }: { readonly tools: ToolLooks }): Block {
  const of = (type: string) => events.filter((event) => event.type === type).map(({ payload }) => payload);
  const [call = {}] = of("tool_call");
  const [result = null] = of("tool_result");
  const tool = textOf(call.tool);
  const look = lookOf(tools, tool);
  const isCase = look?.drawn?.as === "case";
  const blocked = of("pre_tool_block").map(({ reason }) =>
    el("p", { class: "note bad" }, `refused: ${textOf(reason)}`),
  );
  const said = isCase ? caseBlock(call.args) : argumentsBlock(call.args, look, tools);
  return {
    label: isCase ? "case" : tool || "tool",
    ...said,
    facts: [
      ...(said.facts ?? []),
      result === null ? "no answer yet" : span(numberOf(result.ms)),
      ...of("hook_run")
        .filter(saysNothing)
        .map((run) => `${textOf(run.hook)} ${textOf(run.outcome)}`),
    ],
    body: [
      ...(said.body ?? []),
      ...blocked,
      ...of("hook_run")
        .filter((run) => !saysNothing(run) && run.outcome !== "block")
        .map(hook),
      result === null ? null : answer(result, look),
    ],
  };
}

export function strayResult([event]: readonly LoggedEvent[]): Block {
  const result = fieldsOf(event?.payload);
  return { label: textOf(result.tool) || "tool", title: "answered", body: [answer(result, null)] };
}

export function callsNotRun([event]: readonly LoggedEvent[]): Block {
  const { count, why, content } = fieldsOf(event?.payload);
  return {
    label: "not run",
    title: textOf(content),
    facts: [`${numberOf(count)} calls`, textOf(why).replaceAll("_", " ")],
    tone: "quiet",
  };
}

export function strayHook([event]: readonly LoggedEvent[]): Block {
  const run = fieldsOf(event?.payload);
  if (event?.type === "hook_run")
    return { label: "hook", title: textOf(run.hook), facts: [textOf(run.outcome)], body: [hook(run)], tone: "quiet" };
  return {
    label: "refused",
    title: textOf(run.command),
    mono: true,
    body: [el("p", { class: "note bad" }, textOf(run.reason))],
    tone: "bad",
  };
}

type ToolDrawing = Pick<Block, "title" | "mono" | "facts" | "body" | "badge">;

function argumentsBlock(raw: unknown, look: ToolLook | null, tools: ToolLooks): ToolDrawing {
  const args = fieldsOf(raw);
  const name = look?.main;
  const main = name === undefined ? null : textOrNull(args[name]);
  if (look === null || main === null) return { body: [longText(typeof raw === "string" ? raw : json(raw))] };
  const oneLine = !main.includes("\n") && main.length <= 160;
  const apart = Object.values(tools).flatMap(drawnApart);
  const rest = Object.entries(args).filter(([key]) => key !== name && !apart.includes(key));
  const facts = rest.map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  const body = [...(oneLine ? [] : [longText(main, 10)]), ...drawings(look, args)];
  return { title: oneLine ? main : null, mono: true, facts, body };
}

/** Names the arguments that are too long to be said beside others. */
function drawnApart({ drawn }: ToolLook): readonly string[] {
  if (drawn?.as === "change") return [drawn.from, drawn.to];
  return drawn?.as === "text" ? [drawn.of] : [];
}

function drawings({ drawn }: ToolLook, args: Fields): readonly HTMLElement[] {
  if (drawn?.as === "change") return [coloured(changed(textOf(args[drawn.from]), textOf(args[drawn.to])))];
  return drawn?.as === "text" ? [coloured(added(textOf(args[drawn.of])), 14)] : [];
}

function saysNothing({ output, outcome }: Fields): boolean {
  return textOf(output) === "" && outcome !== "block";
}

/** Closed at first, because the answer repeats what the model was told. */
function hook(run: Fields): HTMLElement {
  const made = fold(textOf(run.hook), textOf(run.outcome), () => [longText(textOf(run.output), 40)]);
  if (run.outcome === "warned") made.classList.add("bad");
  return made;
}

function answer(result: Fields, look: ToolLook | null): HTMLElement {
  const content = textOf(result.content);
  const text =
    content === "" ? el("p", { class: "note dim" }, "(empty)") : longText(content, look?.answerLines ?? answerLines);
  return el("div", { class: "answer" }, text);
}

/** Shows a case; a ledger entry's case too. */
export function caseBlock(value: unknown): ToolDrawing {
  const given = fieldsOf(value);
  const coverage = listOf(given.ac_coverage).map(fieldsOf);
  if (textOrNull(given.summary) === null && coverage.length === 0)
    return { body: [longText(typeof value === "string" ? value : json(value))] };
  return {
    badge: badge(null, "submitted"),
    body: [
      prose(textOf(given.summary)),
      coverage.length === 0 ? null : coverageTable(coverage),
      ...named("Work-arounds", textsOf(given.work_arounds)),
      ...named("Uncertainties", textsOf(given.uncertainties)),
    ],
  };
}

function coverageTable(rows: readonly Fields[]): HTMLElement {
  const cells = (row: Fields) => [row.criterion, row.addressed_by, row.evidence].map(textOf);
  const head = ["criterion", "addressed by", "evidence"].map((name) => el("th", { scope: "col" }, name));
  const body = rows.map((row) => el("tr", {}, ...cells(row).map((cell) => el("td", {}, cell))));
  return el(
    "div",
    { class: "wide" },
    el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body)),
  );
}

export function named(title: string, items: readonly string[]): readonly HTMLElement[] {
  return items.length === 0 ? [] : [el("h4", {}, title), list(items)];
}
