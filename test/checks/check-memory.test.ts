import { expect, test } from "vitest";
import { CheckMemory } from "../../runner/checks/check-memory.js";
import { judgementOf } from "../../runner/checks/judgement.js";
import { honestRun, reportWith, request } from "../helpers/check-reports.js";

const failed = judgementOf(reportWith({ pytest: { ...honestRun, results: [] } }), request);

test("a failed tree is remembered for the same request only", () => {
  const memory = new CheckMemory();
  memory.keep(request, failed);
  expect(memory.recall({ ...request, timeoutMs: 5 })).toBe(failed);
  expect(memory.recall({ ...request, taskText: "conftest.py" })).toBeNull();
  expect(memory.recall({ ...request, added: ["tests/test_own.py"] })).toBeNull();
});

test.each([
  ["a pass", reportWith()],
  ["a time-out", reportWith({ pytest: { ...honestRun, timedOut: true } })],
  ["a process that died", reportWith({ pytest: { ...honestRun, died: true } })],
])("%s is not remembered", (_, report) => {
  const memory = new CheckMemory();
  memory.keep(request, judgementOf(report, request));
  expect(memory.recall(request)).toBeNull();
});
