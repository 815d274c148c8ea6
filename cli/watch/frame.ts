import type { Caps } from "../../runner/settings/settings.js";
import type { Window } from "../output/output.js";
import { bold, dim, green, line, type Painted, red } from "../output/painted.js";
import { tokenParts } from "../output/token-parts.js";
import { clock } from "./clock.js";
import type { RunState, TaskState, WatchedTask } from "./run-state.js";

const mostTasks = 12;
/** with fewer lines a plan is of no use */
const leastTasks = 3;
/** rule, activity, usage, and two lines of scrolling progress */
const others = 5;
const narrow = 60;

/** The state of a run, to be drawn at the bottom of a terminal. */
export interface Frame {
  readonly state: RunState;
  readonly caps: Caps;
  /** time since the run began, as its cap counts */
  readonly ms: number;
  /** how long the current activity has lasted */
  readonly doingMs: number;
}

export function frameOf(frame: Frame, { columns, rows }: Window): readonly Painted[] {
  const room = Math.min(mostTasks, rows - others);
  const usage = fitting(usageOf(frame), columns);
  const working = frame.state.tasks.filter(({ state }) => state === "working");
  const between = working.length === 0 ? [dim(line`${clock(frame.doingMs)} · ${doingNow(frame.state, columns)}`)] : [];
  if (room < leastTasks) return [...working.flatMap((task) => taskLines(task, frame, columns)), ...between, usage];
  return [dim("─".repeat(Math.min(columns, 100))), ...planOf(frame, columns, room), ...between, usage];
}

const marks: Readonly<Record<TaskState, Painted>> = {
  pending: dim("○"),
  working: bold("●"),
  done: green("✓"),
  failed: red("✗"),
};

/** Shows all tasks, or those around the current one and how many more there are. */
function planOf(frame: Frame, columns: number, room: number): readonly Painted[] {
  const { tasks } = frame.state;
  const at = Math.max(
    0,
    tasks.findIndex(({ state }) => state === "working"),
  );
  const whole = tasks.length <= room;
  const shown = whole ? tasks.length : Math.max(1, room - 2);
  const from = whole ? 0 : Math.max(0, Math.min(at - 1, tasks.length - shown));
  const lines = tasks.slice(from, from + shown).flatMap((task) => taskLines(task, frame, columns));
  if (whole) return lines;
  return [...more(tasks.slice(0, from), "above"), ...lines, ...more(tasks.slice(from + shown), "below")];
}

function more(tasks: readonly WatchedTask[], where: string): readonly Painted[] {
  if (tasks.length === 0) return [];
  const done = tasks.filter(({ state }) => state === "done").length;
  return [dim(line`… ${tasks.length} more ${where}${done > 0 ? `, ${done} done` : ""}`)];
}

function taskLines(task: WatchedTask, frame: Frame, columns: number): readonly Painted[] {
  const name = `${task.id} ${task.title}`;
  if (task.state !== "working") return [line`${marks[task.state]} ${task.state === "pending" ? dim(name) : name}`];
  return [line`${marks.working} ${bold(name)}`, activity(frame, columns)];
}

function activity({ state, caps, doingMs }: Frame, columns: number): Painted {
  const of = `${state.iteration}/${caps.maxIterationsPerTask}`;
  const iteration = columns < narrow ? of : `iteration ${of.replace("/", " of ")}`;
  return line`  ${dim(line`${iteration} · ${clock(doingMs)} ·`)} ${doingNow(state, columns)}`;
}

/** While a reply comes in, adds how much has come; in a narrow window it shows only that. */
export function doingNow({ doing, arrived }: Pick<RunState, "doing" | "arrived">, columns: number): string {
  if (arrived === 0) return doing;
  const come = `${grouped(arrived)} ${arrived === 1 ? "character" : "characters"}`;
  return columns < narrow ? come : `${doing} · ${come} so far`;
}

/** Returns wordings from the fullest to the shortest. */
function usageOf({ state, caps, ms }: Frame): readonly Painted[] {
  const { maxWallClockMinutes, maxTokens, maxCostUsd } = caps;
  const time = { used: clock(ms), share: percent(ms / 60_000, maxWallClockMinutes) };
  const tokens = { used: grouped(state.tokens), share: percent(state.tokens, maxTokens) };
  const { cost: usd } = state.used;
  const spent = usd === null ? null : `$${usd.toFixed(4)}`;
  const cost = spent === null ? "" : line` · ${spent}`;
  const ofCost = maxCostUsd === null ? "" : line` (${percent(usd ?? 0, maxCostUsd)} of $${maxCostUsd})`;
  const money = spent === null ? "" : line` · cost ${spent}${ofCost}`;
  const parts = tokenParts(state.used, grouped);
  const whole = line`time ${time.used} (${time.share} of ${maxWallClockMinutes} min) · tokens ${tokens.used} (${tokens.share} of ${grouped(maxTokens)})${money}`;
  return [
    ...(parts === "" ? [] : [line`${whole} · ${parts}`]),
    whole,
    line`${time.used} (${time.share}) · ${tokens.used} tokens (${tokens.share})${cost}`,
    line`${time.used} ${time.share} · ${short(state.tokens)} ${tokens.share}${cost}`,
  ];
}

function fitting(wordings: readonly Painted[], columns: number): Painted {
  const fits = (wording: Painted) => wording.length <= columns;
  return wordings.find(fits) ?? wordings.at(-1) ?? line``;
}

function percent(used: number, limit: number): string {
  return `${Math.floor((used / limit) * 100)} %`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

function short(count: number): string {
  return count < 10_000 ? String(count) : `${Math.floor(count / 1000)}k`;
}
