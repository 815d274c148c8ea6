import type { SessionId } from "../base/ids.js";
import type { Task } from "../session/state/prd.js";
import { forGitSubject, forTerminal } from "../text/sanitise.js";

/** One printable subject line, the case's summary, and trailers that no code reads. */
export function commitMessage(of: { task: Task; summary: string; session: SessionId }): string {
  const subject = forGitSubject(`${of.task.id}: ${of.task.title}`);
  const trailers = [`Tilth-Session: ${of.session}`, `Tilth-Task: ${of.task.id}`];
  return [subject, forTerminal(of.summary).trim(), trailers.join("\n")].filter((part) => part !== "").join("\n\n");
}
