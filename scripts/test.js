// The gate: every stage runs, whatever became of the ones before, and the last line counts them all.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";

const reportFile = ".cache/vitest.json";
const minutes = 60_000;
const pageTypes = "cli/page/browser/tsconfig.json";
const stages = [
  { name: "build", program: "npm", args: ["run", "--silent", "build"], limitMs: 3 * minutes },
  { name: "types", program: "node_modules/.bin/tsc", args: ["-p", "tsconfig.json", "--noEmit"], limitMs: 3 * minutes },
  { name: "page types", program: "node_modules/.bin/tsc", args: ["-p", pageTypes, "--noEmit"], limitMs: 3 * minutes },
  { name: "lint", program: "node_modules/.bin/biome", args: ["check", "."], limitMs: 2 * minutes },
  { name: "dead code", program: "node_modules/.bin/knip", args: [], limitMs: 3 * minutes },
  { name: "image", program: process.execPath, args: ["scripts/ensure-image.js"], limitMs: 10 * minutes },
];
const vitest = {
  name: "tests",
  program: "node_modules/.bin/vitest",
  args: ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`],
  limitMs: 60 * minutes,
};

const results = stages.map((stage) => ({ name: stage.name, ok: runs(stage) }));
const tests = runTests();
for (const { name, ok } of results) if (!ok) process.stdout.write(`failed: ${name}\n`);
const passed = tests.passed + results.filter(({ ok }) => ok).length;
const failed = tests.failed + results.filter(({ ok }) => !ok).length;
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function runs({ name, program, args, limitMs }) {
  process.stdout.write(`— ${name}\n`);
  const { status, error } = spawnSync(program, args, { stdio: ["ignore", "inherit", "inherit"], timeout: limitMs });
  if (error?.code === "ETIMEDOUT") process.stdout.write(`${name}: stopped after ${limitMs / minutes} minutes\n`);
  return status === 0;
}

/** A test that was skipped counts as failed: nothing here may be left out for want of something. */
function runTests() {
  mkdirSync(".cache", { recursive: true });
  rmSync(reportFile, { force: true });
  const ok = runs(vitest);
  const report = reportOf(reportFile);
  if (!report) return { passed: 0, failed: 1 };
  const files = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.length,
  );
  const failed = report.numTotalTests - report.numPassedTests + files.length;
  return { passed: report.numPassedTests, failed: ok ? failed : Math.max(failed, 1) };
}

function reportOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}
