import { taskText } from "../../../memory/task-text.js";
import type { TilthEvent } from "../../../session/log/events.js";
import type { Prd, Task } from "../../../session/state/prd.js";
import { forModel } from "../../../text/sanitise.js";
import type { Findings } from "../log/findings.js";

/** Compares each task's text with the prompts its worker was started with, the only other record of it. */
export class TaskTexts {
  readonly #tasks: ReadonlyMap<string, Task>;
  readonly #altered = new Map<string, number>();
  #opening: string | null = null;

  constructor(prd: Prd | null) {
    this.#tasks = new Map((prd ?? []).map((task) => [task.id, task]));
  }

  add(event: TilthEvent, line: number): void {
    if (event.type === "memory_load" && event.payload.role === "worker") this.#opening = event.payload.task_id;
    if (event.type !== "prompt_assembled" || event.payload.role !== "worker" || this.#opening === null) return;
    const task = this.#tasks.get(this.#opening);
    this.#opening = null;
    const { content } = event.payload;
    // a key that was masked in the prompt could have been part of the task itself
    if (task === undefined || content.includes(forModel(taskText(task))) || content.includes("[masked key]")) return;
    this.#altered.set(task.id, line);
  }

  compare(findings: Findings): void {
    for (const [id, line] of this.#altered)
      findings.differ({
        what: `text of ${id}`,
        where: `prd.json, ${id}`,
        expected: `the task as events.jsonl line ${line} (prompt_assembled) has it`,
        seen: "other words",
      });
    findings.compared.push("title, description and criteria of the tasks, with what the worker was told");
  }
}
