// Writes the outcome of a test run into one file for the gate: each test file with its counts, and errors outside any test.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";

export const reportFile = ".cache/tests.json";

export default class GateReport {
  onTestRunEnd(modules, unhandled) {
    mkdirSync(dirname(reportFile), { recursive: true });
    writeFileSync(reportFile, JSON.stringify({ files: modules.map(outcomeOf), unhandled: unhandled.length }));
  }
}

/** A test that was skipped counts as failed: nothing may be left out because something is missing on the machine. */
function outcomeOf(module) {
  const tests = [...module.children.allTests()];
  const passed = tests.filter((test) => test.result().state === "passed").length;
  const failed = tests.length - passed;
  return {
    file: relative(process.cwd(), module.moduleId),
    passed,
    failed: failed === 0 && module.state() !== "passed" ? 1 : failed,
    ms: Math.round(module.diagnostic().duration),
  };
}
