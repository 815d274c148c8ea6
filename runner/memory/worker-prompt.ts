import { say } from "../base/prompts.js";
import { renderLedger } from "../dialogue/ledger.js";
import type { Prompt } from "../dialogue/prompt.js";
import type { LedgerEntry } from "../session/log/events/verdicts.js";
import type { Prd, Task } from "../session/state/prd.js";
import { type Bounded, tailOf } from "../text/bounded-text.js";
import type { ContextFile } from "./context-files.js";
import type { EnvironmentShown } from "./environment-text.js";
import { Fence } from "./fence.js";
import { planText } from "./plan.js";
import { PromptWriter } from "./prompt-writer.js";
import { type SeedContext, seedContextText } from "./seed-context.js";
import { taskText } from "./task-text.js";

/** Everything a worker starts a task with. */
export interface WorkerMemory {
  readonly task: Task;
  readonly plan: Prd;
  /** from the last accepted tree, in the order of the setting */
  readonly contextFiles: readonly ContextFile[];
  readonly seed: SeedContext | null;
  /** `progress.txt` as it is */
  readonly progress: string;
  readonly ledger: readonly LedgerEntry[];
  /** the tools in the box, one line each */
  readonly tools: readonly string[];
  /** hosts reachable from the box */
  readonly openTo: readonly string[];
  /** null if the project has no environment and uses the image's own */
  readonly environment?: EnvironmentShown | null;
  /** null if none of them count */
  readonly ownTests?: OwnTestsShown | null;
}

/** The state of the project's own tests as the task begins. */
export interface OwnTestsShown {
  readonly passed: number;
  readonly failing: readonly string[];
}

const mostFailing = 40;

export function workerPrompt(memory: WorkerMemory, fence = new Fence()): Prompt {
  const { task, seed, openTo, environment = null, ownTests = null } = memory;
  const place = environment === null ? "image" : "environment";
  const tools = memory.tools.map((line) => `- ${line}`).join("\n");
  const network = openTo.length === 0 ? say("no-network") : say("open-network", { hosts: openTo.join(", "), place });
  const writer = new PromptWriter(say("worker", { tools, network }), fence);
  writer.environment(environment, "environment");
  writer.contextFiles(memory.contextFiles);
  writer.material("seed_context", seed === null ? "" : seedContextText(seed), "seed-context");
  if (ownTests !== null) {
    writer.remark("own_tests", say("own-tests", { count: String(ownTests.passed) }));
    writer.material("own_tests_failing", ownTests.failing.slice(0, mostFailing).join("\n"), "own-tests-failing");
  }
  writer.material("plan", planText(memory.plan, task.id), "plan");
  writer.material("progress", progressText(memory.progress), "progress");
  writer.material("task", taskText(task), "your-task");
  writer.material("ledger", renderLedger(memory.ledger), "ledger");
  return writer.prompt();
}

const mostLines = 30;
const progressBytes = 4 * 1024;

/** The last lines of `progress.txt`. */
function progressText(file: string): Bounded {
  const lines = file.split("\n").filter((line) => line !== "");
  const last = tailOf(lines.slice(-mostLines).join("\n"), progressBytes);
  return { text: last.text, truncated: last.truncated || lines.length > mostLines };
}
