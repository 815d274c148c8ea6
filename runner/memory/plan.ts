import type { Task } from "../session/state/prd.js";
import type { Bounded } from "../text/bounded-text.js";

const planBytes = 6 * 1024;

/** The plan around a task, shown without repeating the task itself; empty if there is no other task. */
export function planText(tasks: readonly Task[], own: string): Bounded {
  return tasks.length < 2 ? { text: "", truncated: false } : fitted(tasks, own);
}

/** The plan for an interviewer who adds tasks to it. */
export function wholePlanText(tasks: readonly Task[]): Bounded {
  return fitted(tasks, null);
}

/** Shows every task of the plan on a line; shortened if there are many, only the nearest ones if there are too many. */
function fitted(tasks: readonly Task[], own: string | null): Bounded {
  const full = tasks.map((task) => (task.id === own ? titleLine(task, own) : fullLine(task, own)));
  if (fits(full)) return { text: full.join("\n"), truncated: false };
  const short = tasks.map((task) => (task.id === own ? titleLine(task, own) : shortLine(task, own)));
  if (fits(short)) return { text: short.join("\n"), truncated: true };
  const titles = tasks.map((task) => titleLine(task, own));
  if (fits(titles)) return { text: titles.join("\n"), truncated: true };
  return { text: around(titles, nearest(tasks, own)), truncated: true };
}

/** Without an own task, new ones are added at the end, so the last task is nearest. */
function nearest(tasks: readonly Task[], own: string | null): number {
  if (own === null) return tasks.length - 1;
  return Math.max(
    0,
    tasks.findIndex((task) => task.id === own),
  );
}

function titleLine(task: Task, own: string | null): string {
  return `${task.id === own ? "→ " : "  "}${task.id} [${task.status}] ${clipped(task.title, 120)}`;
}

function shortLine(task: Task, own: string | null): string {
  return `${titleLine(task, own)}: ${clipped(task.description, 160)}`;
}

function fullLine(task: Task, own: string | null): string {
  const criteria = task.acceptance_criteria.map((text, index) => `(${index + 1}) ${collapsed(text)}`);
  return `${titleLine(task, own)}: ${collapsed(task.description)} Criteria: ${criteria.join(" ")}`;
}

/** Takes as many lines before and after the own one as fit. */
function around(lines: readonly string[], own: number): string {
  let [from, to] = [own, own + 1];
  let size = Buffer.byteLength(lines[own] ?? "");
  for (let grown = true; grown; ) {
    grown = false;
    for (const next of [to, from - 1]) {
      const line = lines[next];
      if (line === undefined || size + Buffer.byteLength(line) + 1 > planBytes - 100) continue;
      size += Buffer.byteLength(line) + 1;
      if (next === to) to += 1;
      else from -= 1;
      grown = true;
    }
  }
  const [before, after] = [from, lines.length - to];
  return [
    ...(before > 0 ? [`  [${before} tasks before]`] : []),
    ...lines.slice(from, to),
    ...(after > 0 ? [`  [${after} tasks after]`] : []),
  ].join("\n");
}

function fits(lines: readonly string[]): boolean {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0) <= planBytes;
}

function collapsed(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

function clipped(text: string, length: number): string {
  const line = collapsed(text);
  return line.length <= length ? line : `${line.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
