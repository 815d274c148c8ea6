import type { ToolLooks } from "../../../../runner/tools/tool/look.js";
import { type Fields, fieldsOf, listOf, textOf, textsOf } from "./read.js";

/** The page's knowledge of its session besides the log. */
export interface Facts {
  readonly id: string;
  readonly label: string;
  readonly live: boolean;
  readonly session: Fields;
  readonly checkpoint: Fields;
  readonly seed: Fields | null;
  readonly summary: Fields;
  readonly tasks: readonly PlannedTask[];
  readonly problems: readonly string[];
  readonly tools: ToolLooks;
}

export interface PlannedTask {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly description: string;
  readonly criteria: readonly string[];
}

export function readFacts(value: unknown): Facts {
  const given = fieldsOf(value);
  const session = fieldsOf(given.session);
  return {
    id: textOf(session.id),
    label: textOf(session.label),
    live: given.live === true,
    session,
    checkpoint: fieldsOf(given.checkpoint),
    seed: given.seed === null || given.seed === undefined ? null : fieldsOf(given.seed),
    summary: fieldsOf(given.summary),
    tasks: listOf(given.tasks).map(fieldsOf).map(plannedTask),
    problems: textsOf(given.problems),
    // written by the program that made the page, and by nobody else
    tools: fieldsOf(given.tools) as ToolLooks,
  };
}

function plannedTask(task: Fields): PlannedTask {
  return {
    id: textOf(task.id),
    title: textOf(task.title),
    status: textOf(task.status),
    description: textOf(task.description),
    criteria: textsOf(task.acceptance_criteria),
  };
}
