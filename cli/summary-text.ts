import type { RunEnd, SessionFiles, Summary } from "../runner/index.js";
import { shellWord } from "../runner/source/shell-word.js";
import type { Output } from "./output.js";
import { green, line, type Painted, red, row } from "./painted.js";

/** The end of a run: what it used, how each task went, where to look, what to type. */
export function sayEnd(output: Output, files: SessionFiles, end: RunEnd): void {
  for (const text of summaryLines(end.summary)) output.print(text);
  output.print("");
  for (const text of [...howItEnded(end), ...whereToLook(files)]) output.print(text);
}

function howItEnded({ stop, executes, renamed }: RunEnd): readonly Painted[] {
  const lines = [stop.reason === "all_done" ? green("all tasks are done") : stopped(stop)];
  if (stop.hint) lines.push(line`  → ${stop.hint}`);
  if (executes.length > 0) {
    lines.push(line`these files of the change run on ordinary actions; read them before you open it:`);
    for (const path of executes) lines.push(line`  ${path}`);
  }
  for (const path of renamed) lines.push(line`made harmless by renaming: ${path}`);
  return lines;
}

function stopped({ reason, detail }: RunEnd["stop"]): Painted {
  return detail === "" ? line`${red("stopped")}: ${reason}` : line`${red("stopped")}: ${reason} (${detail})`;
}

export function summaryLines(summary: Summary): readonly Painted[] {
  const { usage, caps } = summary;
  const cost = usage.cost === null ? "cost unknown" : `$${usage.cost.toFixed(4)}`;
  const lines = [line``, line`tokens ${usage.total_tokens} · ${cost} · iterations ${summary.iterations}`];
  if (caps) {
    const money = caps.cost_usd ? line` · cost ${caps.cost_usd.percent} %` : "";
    lines.push(line`of the caps: tokens ${caps.tokens.percent} %${money} · time ${caps.wall_clock_minutes.percent} %`);
  }
  if (summary.tasks.length > 0) lines.push(line``, ...taskTable(summary));
  return lines;
}

const headings = ["task", "outcome", "iterations", "checks failed", "rejections", "tokens", "seconds"];

function taskTable({ tasks }: Summary): readonly Painted[] {
  const rows = tasks.map((task) => [
    task.task_id,
    task.outcome ?? "pending",
    String(task.iterations),
    String(task.checks_failed),
    String(task.rejections),
    String(task.usage.total_tokens),
    (task.ms / 1000).toFixed(1),
  ]);
  const widths = headings.map((heading, at) =>
    Math.max(heading.length, ...rows.map((cells) => cells[at]?.length ?? 0)),
  );
  return [headings, ...rows].map((cells) => row(cells, widths, 2));
}

function whereToLook(files: SessionFiles): readonly Painted[] {
  const { source, base_commit } = files.loadCheckpoint();
  const branch = `session/${files.id}`;
  const git = `git -C ${shellWord(source)}`;
  const learnings = files.countLearnings();
  return [
    line``,
    line`session folder: ${files.paths.folder}`,
    ...(learnings > 0
      ? [line`${learnings} ${learnings === 1 ? "learning waits" : "learnings wait"} in ${files.paths.learnings}`]
      : []),
    line`review: ${git} log --stat ${base_commit.slice(0, 12)}..${branch}`,
    line`merge:  ${git} merge ${branch}`,
  ];
}
