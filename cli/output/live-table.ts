import type { LiveReport } from "../../runner/index.js";
import { oneLine } from "../../runner/text/sanitise.js";
import { bold, line, type Painted, row } from "./painted.js";

const gap = 2;
const widestCell = 60;

/** Shows each model in a column of its own, or one below the other if they do not fit side by side. */
export function liveTable(reports: readonly LiveReport[], columns: number): readonly Painted[] {
  if (reports.length === 0) return [];
  const cells = [["", ...reports.map(({ roles }) => roles.join(", "))], ...rows.map((one) => cellsOf(one, reports))];
  const widths = Array.from({ length: reports.length + 1 }, (_, at) =>
    Math.max(...cells.map((texts) => texts[at]?.length ?? 0)),
  );
  const whole = widths.reduce((sum, width) => sum + width + gap, -gap);
  if (whole > columns && reports.length > 1) return reports.flatMap((report) => liveTable([report], columns));
  return [line``, ...cells.map((texts, at) => (at === 0 ? bold(row(texts, widths)) : row(texts, widths)))];
}

type Row = readonly [heading: string, cell: (report: LiveReport) => string];

function cellsOf([heading, cell]: Row, reports: readonly LiveReport[]): string[] {
  return [heading, ...reports.map((report) => oneLine(cell(report), widestCell))];
}

const rows: readonly Row[] = [
  ["model", ({ model, model_answered }) => model_answered ?? model],
  ["endpoint", ({ base_url }) => base_url],
  ["answers", ({ ms }) => (ms.length === 0 ? "no" : `yes, in ${ms.join(", ")} ms`)],
  [
    "interface",
    ({ api, api_switched, ms }) => (ms.length === 0 ? "–" : `${api}${api_switched ? ", switched to" : ""}`),
  ],
  ["tools", toolsCell],
  ["parallel calls", ({ parallel_calls }) => yesNo(parallel_calls, "both in one reply", "one at a time")],
  ["results used", ({ used_results }) => yesNo(used_results, "both", "not as they were told")],
  ["reasoning", ({ reasoning }) => (reasoning === null ? "–" : reasoningWords[reasoning])],
  ["cached, 2nd call", cachedCell],
  ["usage", ({ usage, tokens }) => (usage === null ? "–" : `${usage}, ${tokens} tokens`)],
  ["cost", costCell],
  ["left out", leftOutCell],
];

const reasoningWords: Readonly<Record<NonNullable<LiveReport["reasoning"]>, string>> = {
  none_seen: "none seen",
  kept: "kept: it goes back and is taken",
  refused: "refused when it went back; left out",
  not_returned: "not kept: nothing of it can go back",
};

function toolsCell({ called_tool, arguments_are_objects }: LiveReport): string {
  if (called_tool === null) return "–";
  if (!called_tool) return "no call";
  return arguments_are_objects ? "called, with objects" : "called, not always with an object";
}

function cachedCell({ second_call: second, ms }: LiveReport): string {
  if (second === null) return ms.length < 2 ? "–" : "unknown";
  const { cached_tokens, prompt_tokens } = second;
  return `${cached_tokens === 0 ? "none" : cached_tokens} of ${prompt_tokens}`;
}

function costCell({ cost, cost_from }: LiveReport): string {
  if (cost === null) return "unknown";
  return `$${cost.toFixed(4)}, by ${cost_from === "prices" ? "prices.json" : "the provider"}`;
}

function leftOutCell({ left_out }: LiveReport): string {
  const said = left_out.map(({ parameter, sent_instead }) =>
    sent_instead === null ? parameter : `${parameter} (${sent_instead})`,
  );
  return said.length === 0 ? "nothing" : said.join(", ");
}

function yesNo(is: boolean | null, yes: string, no: string): string {
  if (is === null) return "–";
  return is ? yes : no;
}
