import { readFileSync, rmSync } from "node:fs";
import { reportFile } from "./report.js";
import { minutes, runs } from "./stages.js";

/** More files than this that fail once and pass by themselves fail the gate: a suite that needs luck proves nothing. */
const flakyAllowed = 2;
const slowestShown = 10;

/** Runs every test file, then each that failed once more by itself, and counts what is left. */
export function runTests() {
  const first = runVitest("tests", []);
  if (!first) return { passed: 0, failed: 1 };
  sayTheSlowest(first.files);
  const files = first.files.map((file) => (file.failed === 0 ? file : triedAgain(file)));
  const flaky = files.filter((file) => file.flaky);
  for (const { file } of flaky) say(`flaky: ${file}`);
  const tooMany = flaky.length > flakyAllowed ? 1 : 0;
  if (tooMany) say(`failed: ${flaky.length} flaky test files, of which at most ${flakyAllowed} are let through`);
  const sum = (name) => files.reduce((total, file) => total + file[name], 0);
  return { passed: sum("passed"), failed: sum("failed") + first.unexplained + tooMany };
}

/** A file whose second run cannot be read stays as the first one left it. */
function triedAgain(file) {
  const again = runVitest(`${file.file} once more, by itself`, [file.file]);
  const [outcome] = again?.files ?? [];
  return again?.unexplained === 0 && outcome?.failed === 0 ? { ...outcome, flaky: true } : file;
}

function runVitest(name, files) {
  rmSync(reportFile, { force: true });
  const args = ["run", "--reporter=default", "--reporter=./scripts/gate/report.js", ...files];
  const ok = runs({
    name,
    program: "node_modules/.bin/vitest",
    args,
    limitMs: (process.env.EVERY ? 300 : 60) * minutes,
  });
  const report = readReport();
  if (!report?.files.length) return null;
  const explained = report.files.some(({ failed }) => failed > 0);
  return { files: report.files, unexplained: report.unhandled || (ok || explained ? 0 : 1) };
}

function readReport() {
  try {
    return JSON.parse(readFileSync(reportFile, "utf8"));
  } catch {
    return null;
  }
}

function sayTheSlowest(files) {
  const seconds = ({ file, ms }) => `${file} ${(ms / 1000).toFixed(0)} s`;
  const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, slowestShown);
  say(`slowest: ${slowest.map(seconds).join(" · ")}`);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
