import { expect, test } from "vitest";
import { Findings } from "../../../../runner/app/verify/log/findings.js";
import { TaskTexts } from "../../../../runner/app/verify/recorded/task-texts.js";
import { Fence } from "../../../../runner/memory/fence.js";
import { taskText } from "../../../../runner/memory/task-text.js";
import type { Task } from "../../../../runner/session/state/prd.js";
import { logOf } from "../../../session/event-fixtures.js";

const task = (title: string): Task => ({
  id: "T-001",
  title,
  description: "d",
  acceptance_criteria: ["c"],
  status: "done",
});

/** The number of differences between a task as the worker was told it and as prd.json has it. */
function differences(told: string, kept: string): number {
  const content = `# The task\n${new Fence().around(taskText(task(told)))}\n`;
  const span = { task_id: "T-001", trace_id: "a".repeat(32), span_id: "b".repeat(16), iter: 0 };
  const texts = new TaskTexts([task(kept)]);
  const log = logOf(
    ["memory_load", { ...span, role: "worker", channels: {} }],
    ["prompt_assembled", { ...span, role: "worker", content, chars: content.length }],
  );
  for (const [at, event] of log.entries()) texts.add(event, at + 1);
  const findings = new Findings();
  texts.compare(findings);
  return findings.differs.length;
}

test("a task with characters escaped for the model matches its record, and an altered one does not", () => {
  for (const title of ["plain", "I ❤️ it", "👩‍💻 only", "a\u202eb\u0000", "\ud800"]) {
    expect(differences(title, title), title).toBe(0);
    expect(differences(title, `${title}!`), title).toBe(1);
  }
});
