import { nodeIo } from "../runner/disk/file-io.js";
import { EventLog } from "../runner/session/log/event-log.js";
import type { TaskSpan } from "../runner/session/log/events.js";

const text = (length: number): string => "a line of what a tool said, as long as such lines are\n".repeat(length / 54);

/** Appends events like those of a long session until the log holds `count` more. */
export function appendEvents(path: string, count: number): void {
  const io = { ...nodeIo, sync: () => undefined };
  using log = EventLog.open(path, (said) => said, { io });
  for (let written = 0, iter = 1; written < count; iter += 1) written += appendTurn(log, iter);
}

function appendTurn(log: EventLog, iter: number): number {
  const task = 1 + Math.floor(iter / 30);
  const span: TaskSpan = {
    task_id: `T-${String(task).padStart(3, "0")}`,
    trace_id: task.toString(16).padStart(32, "0"),
    span_id: iter.toString(16).padStart(16, "0"),
    iter: iter % 30,
  };
  if (iter % 30 === 0) {
    log.append("prompt_assembled", { ...span, role: "worker", content: text(12_000), chars: 12_000 });
    appendCheck(log, span);
  }
  const call = { id: `call_${iter}`, name: "bash", arguments: '{"command":"python -m pytest -q"}' };
  log.append("model_call", {
    ...span,
    phase: "worker",
    attempt: 1,
    model: "some-model",
    prompt_tokens: 9_000,
    cached_tokens: 0,
    cache_write_tokens: 0,
    eval_tokens: 200,
    reasoning_tokens: 0,
    estimated: false,
    cost: 0.01,
    tokens_used_total: iter * 9_200,
    finish_reason: "tool_calls",
    reasoning: text(600),
    content: null,
    calls: [call],
    ms: 2_000,
  });
  log.append("tool_call", { ...span, tool: "bash", call_id: call.id, args: { command: "python -m pytest -q" } });
  log.append("hook_run", { ...span, hook: "pre_tool", tool: "bash", outcome: "allow", output: "" });
  log.append("tool_result", { ...span, tool: "bash", call_id: call.id, content: text(1_800), ms: 300 });
  return iter % 30 === 0 ? 6 : 4;
}

function appendCheck(log: EventLog, span: TaskSpan): void {
  log.append("check_run", {
    ...span,
    tree: "c".repeat(40),
    image: "sha256:0",
    passed: true,
    checks: [{ name: "pytest", passed: true, reason: null, output: text(1_000), ms: 400 }],
    expected: ["tests/test_t001_answer.py::test_answer"],
    seen: [{ id: "tests/test_t001_answer.py::test_answer", outcome: "passed" }],
    integrity_notes: [],
    ms: 420,
  });
}
