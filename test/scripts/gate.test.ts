import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { packageFolder } from "../../runner/support/package-folder.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tilth-gate-"));
  for (const name of [".ci", "scripts"]) cpSync(join(packageFolder, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  const manifest = { type: "module", scripts: { test: "node scripts/test.js", build: "tsc" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "scripts/ensure-image.js"), "");
  for (const name of ["tsc", "biome", "knip"]) tool(name, "exit 0");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function tool(name: string, script: string): void {
  const file = join(folder, "node_modules/.bin", name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

function vitestReporting(report: object, exit: number): void {
  tool("vitest", `cat > .cache/vitest.json <<'END'\n${JSON.stringify(report)}\nEND\nexit ${exit}`);
}

function gate(): { status: number | null; last: string | undefined } {
  const { status, stdout } = spawnSync(join(folder, ".ci/run"), { encoding: "utf8" });
  return { status, last: stdout.trimEnd().split("\n").at(-1) };
}

test("a green tree ends the gate with its count and 0", () => {
  vitestReporting({ numTotalTests: 7, numPassedTests: 7, testResults: [] }, 0);
  expect(gate()).toEqual({ status: 0, last: "13 passed, 0 failed" });
});

test("a failed stage, a failed test, a skipped one and a file that could not be loaded are each counted", () => {
  tool("biome", "exit 1");
  const unloadable = { status: "failed", assertionResults: [] };
  vitestReporting({ numTotalTests: 7, numPassedTests: 5, testResults: [unloadable] }, 1);
  expect(gate()).toEqual({ status: 1, last: "10 passed, 4 failed" });
});

test("tests that end badly without saying why, or without a report, are a failure", () => {
  vitestReporting({ numTotalTests: 7, numPassedTests: 7, testResults: [] }, 1);
  expect(gate()).toEqual({ status: 1, last: "13 passed, 1 failed" });
  tool("vitest", "exit 0");
  expect(gate()).toEqual({ status: 1, last: "6 passed, 1 failed" });
});

test("a set-up that stops is a failure with a count too", () => {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { test: "exit 2" } }));
  expect(gate()).toEqual({ status: 2, last: "0 passed, 1 failed" });
});
