import type { Case } from "../session/log/events.js";
import type { Task } from "../session/state/prd.js";

/** Shows each pointer of a case below the text of its criterion. */
export function caseText(presented: Case, task: Pick<Task, "acceptance_criteria">): string {
  return [
    presented.summary,
    "",
    ...presented.ac_coverage.map(({ criterion, addressed_by, evidence }) => {
      const words = task.acceptance_criteria[Number(criterion) - 1] ?? "";
      return `${criterion}. ${words}\n   addressed by: ${addressed_by}${evidence ? `\n   evidence: ${evidence}` : ""}`;
    }),
    "",
    `Work-arounds: ${listed(presented.work_arounds)}`,
    `Uncertainties: ${listed(presented.uncertainties)}`,
  ].join("\n");
}

function listed(items: readonly string[]): string {
  return items.length === 0 ? "none named" : items.map((item) => `\n- ${item}`).join("");
}
