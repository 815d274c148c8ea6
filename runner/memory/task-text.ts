import type { Task } from "../session/state/prd.js";

/** One task in full, with its criteria numbered as a case refers to them. */
export function taskText(task: Task): string {
  const criteria = task.acceptance_criteria.map((text, index) => `${index + 1}. ${text}`);
  return [`${task.id}: ${task.title}`, "", task.description, "", "Acceptance criteria:", ...criteria].join("\n");
}
