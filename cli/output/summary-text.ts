import type { RunEnd, SessionFiles, Summary } from "../../runner/index.js";
import { countedTokens, type Usage } from "../../runner/session/summary/usage.js";
import { shellWord } from "../../runner/source/git/shell-word.js";
import type { Output } from "./output.js";
import { green, line, type Painted, red, row } from "./painted.js";
import { tokenParts } from "./token-parts.js";

/** Prints the end of a run: its usage, how each task went, where to look, what to type. */
export function sayEnd(output: Output, files: SessionFiles, end: RunEnd): void {
  const planned = files.hasPrd() ? files.loadPrd().map(({ id }) => id) : [];
  for (const text of summaryLines(end.summary, output.tableColumns, planned)) output.print(text);
  output.print("");
  for (const text of [...howItEnded(end), ...whereToLook(files)]) output.print(text);
}

/** For a script that reads the log itself: says only what a person has to know all the same. */
export function sayStop(output: Output, end: RunEnd): void {
  if (end.stop.reason === "all_done") return;
  output.tell(stopped(end.stop));
  if (end.stop.hint) output.tell(line`  → ${end.stop.hint}`);
}

function howItEnded({ stop, executes, renamed, problem }: RunEnd): readonly Painted[] {
  const lines = [stop.reason === "all_done" ? green("all tasks are done") : stopped(stop)];
  if (stop.hint) lines.push(line`  → ${stop.hint}`);
  if (executes.length > 0) {
    lines.push(line`these changed files run on ordinary actions; read them before you open the worktree:`);
    for (const path of executes) lines.push(line`  ${path}`);
  }
  for (const path of renamed) lines.push(line`renamed to make it harmless: ${path}`);
  if (problem !== null)
    lines.push(
      line`${red("look before you run git or anything else in its worktree")}: what is left there could not all be seen to (${problem})`,
    );
  return lines;
}

function stopped({ reason, detail }: RunEnd["stop"]): Painted {
  return detail === "" ? line`${red("stopped")}: ${reason}` : line`${red("stopped")}: ${reason} (${detail})`;
}

export function summaryLines(summary: Summary, columns: number, planned: readonly string[] = []): readonly Painted[] {
  const { usage, caps } = summary;
  const lines = [line``, line`tokens ${usage.total_tokens} · ${costOf(summary)} · iterations ${summary.iterations}`];
  const parts = tokenParts(usage);
  if (parts !== "") lines.push(line`of the tokens: ${parts}; ${countedTokens(usage)} count for the cap`);
  if (caps) {
    const { tokens, cost_usd: cost, wall_clock_minutes: time, iterations_per_task: iterations } = caps;
    lines.push(line`used of the caps: ${percents({ tokens, cost, time })}`);
    const ofOneTask = percents({ iterations, "evaluator calls": caps.evaluator_calls_per_task });
    if (ofOneTask !== "") lines.push(line`most of one task: ${ofOneTask}`);
  }
  const { connections, refused, bytes_in } = summary.egress;
  if (connections + refused > 0)
    lines.push(line`network: ${connections} connections, ${megabytes(bytes_in)} received, ${refused} refused`);
  const rows = taskRows(summary, planned);
  if (rows.length > 0) lines.push(line``, ...taskTable(rows, columns));
  const receipts = receiptLines(summary);
  if (receipts.length > 0) lines.push(line``, ...receipts);
  return lines;
}

function costOf({ usage, usage_by_role: roles }: Summary): string {
  const { cost, priced_calls: priced, calls } = usage;
  if (cost === null) return "cost unknown";
  const unknown = Object.entries(roles).flatMap(([role, own]) => (own.cost === null ? [nameOf(role)] : []));
  const remarks = [
    ...(priced === 0 ? [] : [`${priced} of ${calls} calls by prices.json`]),
    ...(unknown.length === 0 ? [] : [`without what nobody tells: ${unknown.join(", ")}`]),
  ];
  return `$${cost.toFixed(4)}${remarks.length === 0 ? "" : ` (${remarks.join("; ")})`}`;
}

function nameOf(role: string): string {
  return role.replaceAll("_", "-");
}

/** A line for each accepted task with its usage, by role. */
function receiptLines({ receipts }: Summary): readonly Painted[] {
  return receipts.flatMap(({ task_id, by_role }) => {
    const roles = Object.entries(by_role ?? {}).map(([role, usage]) => `${nameOf(role)} ${tookOf(usage)}`);
    return roles.length === 0 ? [] : [line`${task_id} took ${roles.join(" · ")}`];
  });
}

function tookOf({ total_tokens, cost }: Usage): string {
  return cost === null ? `${total_tokens} tokens` : `${total_tokens} tokens, $${cost.toFixed(4)}`;
}

function percents(caps: Readonly<Record<string, { readonly percent: number } | null>>): string {
  return Object.entries(caps)
    .flatMap(([name, cap]) => (cap === null ? [] : [`${name} ${cap.percent} %`]))
    .join(" · ");
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

const headings = ["task", "outcome", "iterations", "checks failed", "rejections", "tokens", "seconds"];
/** the columns dropped first if not all fit */
const lesser = ["iterations", "checks failed", "rejections"];
const gap = 2;

/** Lists tasks in the order of the plan; a task that was not worked on is just pending. */
function taskRows({ tasks }: Summary, planned: readonly string[]): readonly (readonly string[])[] {
  const worked = new Map(tasks.map((task) => [task.task_id, task]));
  const ids = new Set([...planned, ...worked.keys()]);
  return [...ids].map((id) => {
    const task = worked.get(id);
    if (task === undefined) return [id, "pending", ...headings.slice(2).map(() => "")];
    return [
      id,
      task.outcome ?? "pending",
      String(task.iterations),
      String(task.checks_failed),
      String(task.rejections),
      String(task.usage.total_tokens),
      (task.ms / 1000).toFixed(1),
    ];
  });
}

function taskTable(rows: readonly (readonly string[])[], columns: number): readonly Painted[] {
  const table = [headings, ...rows];
  const widths = headings.map((_, at) => Math.max(...table.map((cells) => cells[at]?.length ?? 0)));
  const whole = widths.reduce((sum, width) => sum + width + gap, -gap);
  const shown = headings.map((heading) => whole <= columns || !lesser.includes(heading));
  const kept = <T>(cells: readonly T[]) => cells.filter((_, at) => shown[at]);
  return table.map((cells) => row(kept(cells), kept(widths), 2));
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
      ? [
          line`${learnings} ${learnings === 1 ? "proposed learning is" : "proposed learnings are"} in ${files.paths.learnings}`,
        ]
      : []),
    line`review: ${git} log --stat ${base_commit.slice(0, 12)}..${branch}`,
    line`merge:  ${git} merge ${branch}`,
  ];
}
