import { say } from "../base/prompts.js";
import { verdictLines } from "../dialogue/ledger.js";
import type { Prompt } from "../dialogue/prompt.js";
import type { WholeDiff } from "../hands/ports/clerk.js";
import type { Verdict } from "../session/log/events/verdicts.js";
import type { Task } from "../session/state/prd.js";
import { headOf, tailOf } from "../text/bounded-text.js";
import type { ContextFile } from "./context-files.js";
import { Fence } from "./fence.js";
import { PromptWriter } from "./prompt-writer.js";

const verdictsBytes = 4 * 1024;
const diffBytes = 16 * 1024;

/** Everything shown with the question after an accepted task. */
export interface SelfImproveMemory {
  readonly task: Pick<Task, "id" | "title" | "description">;
  /** verdicts on all tasks of the session, oldest first */
  readonly verdicts: readonly { readonly taskId: string; readonly verdict: Verdict }[];
  /** rejections by category */
  readonly histogram: Readonly<Record<string, number>>;
  /** from the session base */
  readonly contextFiles: readonly ContextFile[];
  readonly diff: WholeDiff;
}

export function selfImprovePrompt(memory: SelfImproveMemory, fence = new Fence()): Prompt {
  const { task, diff } = memory;
  const writer = new PromptWriter(say("self-improve"), fence);
  writer.contextFiles(memory.contextFiles);
  writer.material("task", `${task.id}: ${task.title}\n\n${task.description}`, "learned-task");
  writer.material("verdicts", tailOf(verdictsText(memory.verdicts), verdictsBytes), "verdicts");
  const counts = Object.entries(memory.histogram).map(([category, count]) => `${category}: ${count}`);
  writer.material("histogram", counts.join("\n"), "histogram");
  const shown = headOf(diff.text, diffBytes);
  writer.material("diff", shown, "accepted-diff");
  return writer.prompt();
}

function verdictsText(verdicts: SelfImproveMemory["verdicts"]): string {
  return verdicts.map(({ taskId, verdict }) => `${taskId} ${verdictLines(verdict).join("\n")}`).join("\n");
}
