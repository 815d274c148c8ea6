import { say } from "../base/prompts.js";
import { renderLedger } from "../dialogue/ledger.js";
import type { Prompt } from "../dialogue/prompt.js";
import type { StagedTest } from "../hands/ports/checks/staged.js";
import type { WholeDiff } from "../hands/ports/clerk.js";
import type { CheckResult } from "../session/log/events/checks.js";
import type { Case, LedgerEntry } from "../session/log/events/verdicts.js";
import type { Task } from "../session/state/prd.js";
import { endsOf, headOf } from "../text/bounded-text.js";
import type { ContextFile } from "./context-files.js";
import { Fence } from "./fence.js";
import { PromptWriter } from "./prompt-writer.js";
import { taskText } from "./task-text.js";

const seedTestBytes = 6 * 1024;
const checkBytes = 4 * 1024;
const notesBytes = 4 * 1024;

/** Everything an evaluator judges by. */
export interface EvaluatorMemory {
  readonly task: Task;
  /** from the session base, so that the worker cannot have changed them */
  readonly contextFiles: readonly ContextFile[];
  readonly ledger: readonly LedgerEntry[];
  readonly diff: WholeDiff;
  readonly case: Case;
  readonly seedTest: StagedTest;
  readonly checks: readonly CheckResult[];
  readonly integrityNotes: readonly string[];
  /** the task's tests all passed when it began */
  readonly greenBefore: boolean;
}

export function evaluatorPrompt(memory: EvaluatorMemory, fence = new Fence()): Prompt {
  const { task, diff, seedTest } = memory;
  const writer = new PromptWriter(say("evaluator"), fence);
  writer.contextFiles(memory.contextFiles);
  writer.material("task", taskText(task), "judged-task");
  writer.remark("tests_before", say(memory.greenBefore ? "green-before" : "red-before"));
  writer.seedTest(seedTest.path, headOf(seedTest.source, seedTestBytes));
  writer.material("ledger", renderLedger(memory.ledger), "ledger");
  for (const { name, output } of memory.checks) writer.checkOutput(name, endsOf(output.trimEnd(), checkBytes));
  writer.material("integrity_notes", headOf(memory.integrityNotes.join("\n"), notesBytes), "integrity");
  writer.material("diff", diff.text === "" ? "(empty: nothing changed)" : diff, "diff");
  writer.material("case", caseText(memory.case, task), "case");
  return writer.prompt();
}

/** Shows each pointer of a case below the text of its criterion. */
function caseText(presented: Case, task: Pick<Task, "acceptance_criteria">): string {
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
