// Runs the gate: every stage runs, whatever became of the ones before, and the last line counts them all.
import { runStages } from "./gate/stages.js";
import { runTests } from "./gate/tests.js";

const results = await runStages();
const tests = runTests();
for (const { name, ok } of results) if (!ok) process.stdout.write(`failed: ${name}\n`);
const passed = tests.passed + results.filter(({ ok }) => ok).length;
const failed = tests.failed + results.filter(({ ok }) => !ok).length;
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
