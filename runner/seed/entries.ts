import type { Prd, Task } from "../session/state/prd.js";
import { oneLine } from "../text/sanitise.js";
import { isRecord, kindOf, SeedProblem, spelling } from "./seed-problem.js";

const mostIdShown = 100;
export const mostPrdBytes = 4 * 1024 * 1024;

/**
 * Checks the tasks of a seed. Every status becomes pending, unknown keys are dropped, the rest is kept to the letter.
 */
export function checkEntries(prd: unknown): Prd {
  if (!Array.isArray(prd)) throw new SeedProblem(`the prd must be a list of tasks, not ${kindOf(prd)}`);
  if (prd.length === 0) throw new SeedProblem("the prd is empty; it needs at least one task");
  const tasks = prd.map((entry: unknown, index) => checkEntry(entry, `task ${index + 1} of the prd`));
  if (Buffer.byteLength(JSON.stringify(tasks)) > mostPrdBytes) throw new SeedProblem("the prd is larger than 4 MB");
  return tasks;
}

function checkEntry(entry: unknown, which: string): Task {
  if (!isRecord(entry))
    throw new SeedProblem(`${which} must be an object with an id such as T-001, not ${kindOf(entry)}`);
  const id = checkId(entry.id, which);
  return {
    id,
    title: checkText(entry.title, `${id}: title`),
    description: checkText(entry.description, `${id}: description`),
    acceptance_criteria: checkCriteria(entry.acceptance_criteria, `${id}: acceptance_criteria`),
    status: "pending",
  };
}

function checkId(id: unknown, which: string): string {
  if (id === undefined) throw new SeedProblem(`${which} has no id; ids look like T-001`);
  if (typeof id !== "string") throw new SeedProblem(`${which}: the id must be text like T-001, not ${kindOf(id)}`);
  if (/^T-\d{3,}$/.test(id)) return id;
  throw new SeedProblem(
    `${which}: the id ${JSON.stringify(id.slice(0, mostIdShown))}${spelling(id)} must be T- and at least three digits, like T-001`,
  );
}

function checkCriteria(criteria: unknown, which: string): string[] {
  if (criteria === undefined) throw new SeedProblem(`${which} is missing; every task needs at least one criterion`);
  if (!Array.isArray(criteria)) throw new SeedProblem(`${which} must be a list of texts, not ${kindOf(criteria)}`);
  if (criteria.length === 0) throw new SeedProblem(`${which} is empty; every task needs at least one criterion`);
  return criteria.map((one: unknown, index) => checkText(one, `${which}, item ${index + 1},`));
}

function checkText(text: unknown, which: string): string {
  if (text === undefined) throw new SeedProblem(`${which} is missing`);
  if (typeof text !== "string") throw new SeedProblem(`${which} must be text, not ${kindOf(text)}`);
  if (oneLine(text.trim(), 100) === "") throw new SeedProblem(`${which} must not be blank`);
  return text;
}
