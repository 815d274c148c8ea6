import { Writable } from "node:stream";
import { wrapTextWithPrefix } from "@clack/core";
import { S_BAR, S_BAR_END, S_PASSWORD_MASK, S_RADIO_ACTIVE, S_RADIO_INACTIVE } from "@clack/prompts";
import pc from "picocolors";
import { forTerminal } from "../../runner/text/sanitise.js";
import { type Asking, type Choices, markedIn } from "./asking.js";
import { textOf } from "./draft.js";
import type { Screen } from "./screen.js";

/** The part of a screen that frames are drawn on. */
export type Canvas = Pick<Screen, "columns" | "rows" | "coloured">;

const mostDraftLines = 6;
const mostAnswerLines = 10;

/** Puts anybody's text behind a bar, so that none of its lines can look like one of tilth's own. */
export function barred(text: string, columns: number): string[] {
  return wrapped(forTerminal(text).trim(), columns, { first: bar, rest: bar });
}

const bar = `${S_BAR}  `;

interface Prefixes {
  readonly first: string;
  readonly rest: string;
}

function wrapped(text: string, columns: number, { first, rest }: Prefixes): string[] {
  // the function asks its output for nothing but the width
  const output = Object.assign(new Writable(), { columns });
  const lines = text.replace(/\t/g, "    ").split("\n");
  return lines.flatMap((line, at) =>
    wrapTextWithPrefix(output, line, rest, at === 0 ? first : rest, rest, unindented).split("\n"),
  );
}

/** Removes the space where a line was broken from the start of the next one. */
function unindented(line: string, at: number): string {
  return at === 0 ? line : line.trimStart();
}

/**
 * Draws everything below a question while it is answered: the options, the text typed so far, the problem, the help.
 */
export function frameOf(asking: Asking, choices: Choices, canvas: Canvas): string {
  const paint = pc.createColors(canvas.coloured);
  const options = optionLines(asking, choices, canvas);
  const draft = draftLines(asking, choices, canvas);
  const remark = asking.remark === "" ? [] : barred(asking.remark, canvas.columns).map((text) => paint.red(text));
  const help = wrapped(helpOf(choices), canvas.columns, { first: `${S_BAR_END}  `, rest: "   " }).map((text) =>
    paint.dim(text),
  );
  const frame = [...options, ...draft, ...remark];
  // a frame higher than the window scrolls away as it is, so it is cut, but never at the typed text
  const most = canvas.rows - 1;
  return (frame.length + help.length > most ? frame.slice(-most) : [...frame, ...help]).join("\n");
}

function helpOf({ options, free }: Choices): string {
  if (options.length === 0) return "Enter sends it, Ctrl-J starts a new line, Ctrl-C stops";
  const either = free ? "arrows, a number or your own words" : "arrows or a number";
  return `${either}; Enter confirms, Ctrl-C stops`;
}

function optionLines(asking: Asking, choices: Choices, canvas: Canvas): string[] {
  const { options, free } = choices;
  const labels = free && options.length > 0 ? [...options, "other: type it"] : options;
  const marked = markedIn(asking, choices);
  const whole = labels.map((label, at) => optionOf({ label, at, marked: at === marked }, canvas.columns));
  const { from, shown } = inRoom(whole, marked ?? 0, Math.max(3, canvas.rows - mostDraftLines - 6));
  const paint = pc.createColors(canvas.coloured);
  return shown.flatMap((lines, at) => (from + at === marked ? lines.map((text) => paint.bold(text)) : lines));
}

/** Returns all options if they fit; otherwise the marked one, and as many around it as fit on one line each. */
function inRoom(whole: readonly (readonly string[])[], marked: number, room: number) {
  if (whole.flat().length <= room) return { from: 0, shown: whole };
  const short = whole.map((lines, at) => startOf(lines, at === marked ? room : 1));
  const others = room - (short[marked]?.length ?? 1);
  const from = Math.max(0, Math.min(marked - Math.floor(others / 2), short.length - 1 - others));
  return { from, shown: short.slice(from, from + others + 1) };
}

function startOf(lines: readonly string[], most: number): readonly string[] {
  const shown = lines.slice(0, most);
  return shown.map((text, at) => (at === most - 1 && lines.length > most ? `${text.trimEnd().slice(0, -1)}…` : text));
}

interface Option {
  readonly label: string;
  readonly at: number;
  readonly marked: boolean;
}

function optionOf({ label, at, marked }: Option, columns: number): string[] {
  const lead = `${marked ? S_RADIO_ACTIVE : S_RADIO_INACTIVE} ${at + 1}  `;
  const prefixes = { first: `${bar}${lead}`, rest: `${bar}${" ".repeat(lead.length)}` };
  return wrapped(forTerminal(label).replace(/\s*\n\s*/g, " "), columns, prefixes);
}

/** A key is covered as soon as it is recognised, not only when it is refused. */
function draftLines(asking: Asking, choices: Choices, canvas: Canvas): string[] {
  const { draft } = asking;
  const text = textOf(draft);
  if (text === "" && asking.at < choices.options.length) return [];
  const hidden = choices.refuses(text.trim());
  const shown = hidden ? S_PASSWORD_MASK.repeat(8) : withCursor(draft, canvas);
  const lines = wrapped(shown, canvas.columns, { first: `${bar}> `, rest: `${bar}  ` });
  const cut = lines.length - mostDraftLines;
  return cut <= 0 ? lines : [`${bar}… ${cut} more line${cut === 1 ? "" : "s"} above`, ...lines.slice(cut)];
}

function withCursor({ before, after }: Asking["draft"], canvas: Canvas): string {
  if (!canvas.coloured) return `${before}_${after}`;
  const [under = " ", ...rest] = after;
  const paint = pc.createColors(true);
  return under === "\n"
    ? `${before}${paint.inverse(" ")}\n${rest.join("")}`
    : `${before}${paint.inverse(under)}${rest.join("")}`;
}

/** Draws the part that stays on the screen after the answer. */
export function answeredFrame(answer: string, canvas: Canvas): string {
  const paint = pc.createColors(canvas.coloured);
  const lines = wrapped(forTerminal(answer), canvas.columns, { first: `${S_BAR_END}  `, rest: "   " });
  const most = Math.min(mostAnswerLines, Math.max(1, canvas.rows - 4));
  const cut = lines.length - most;
  const more = cut <= 0 ? [] : [`   … ${cut} more line${cut === 1 ? "" : "s"}`];
  return [...lines.slice(0, most).map((text) => paint.dim(text)), ...more].join("\n");
}
