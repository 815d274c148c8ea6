import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { packageFolder } from "../../runner/base/package-folder.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tilth-gate-"));
  for (const name of [".ci", "scripts"]) cpSync(join(packageFolder, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  const manifest = { type: "module", scripts: { test: "node scripts/test.js", build: "tsc" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "scripts/ensure-image.js"), "");
  for (const name of ["tsc", "pyright", "biome", "knip"]) tool(name, "exit 0");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function tool(name: string, script: string): void {
  const file = join(folder, "node_modules/.bin", name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

interface Outcome {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
}

/** A vitest that reports `all` when it runs everything, and an outcome from `alone` when it runs a single file. */
function vitestReporting(
  all: readonly Outcome[],
  { alone = [] as readonly Outcome[], unhandled = 0, exit = 0 } = {},
): void {
  const write = (files: readonly Outcome[]) => {
    const timed = files.map((file) => ({ ...file, ms: 1 }));
    return `cat > .cache/tests.json <<'END'\n${JSON.stringify({ files: timed, unhandled })}\nEND`;
  };
  const cases = alone.map((file) => `*${file.file}) ${write([file])}\nexit ${file.failed && 1} ;;`);
  tool("vitest", ["mkdir -p .cache", 'case "$*" in', ...cases, `*) ${write(all)}\nexit ${exit} ;;`, "esac"].join("\n"));
}

function gate() {
  const { status, stdout } = spawnSync(join(folder, ".ci/run"), { encoding: "utf8" });
  const lines = stdout.trimEnd().split("\n");
  return { status, stdout, last: lines.at(-1), flaky: lines.filter((line) => line.startsWith("flaky: ")) };
}

const green = { file: "test/a.test.ts", passed: 7, failed: 0 };
const red = { file: "test/b.test.ts", passed: 2, failed: 1 };
const mended = { ...red, passed: 3, failed: 0 };

test("a green tree ends the gate with its count and status 0", () => {
  vitestReporting([green]);
  expect(gate()).toMatchObject({ status: 0, last: "14 passed, 0 failed" });
});

test("a failed stage and a file that fails a second time are counted", () => {
  tool("biome", "exit 1");
  vitestReporting([green, red], { alone: [red], exit: 1 });
  const { status, last, flaky } = gate();
  expect({ status, last, flaky }).toEqual({ status: 1, last: "15 passed, 2 failed", flaky: [] });
});

test("stages that run at the same time say what they say together, below their names", () => {
  const met = (own: string, other: string) =>
    `echo one of ${own}; touch ${own}; while [ ! -e ${other} ]; do sleep 0.01; done; echo two of ${own} >&2; exit 1`;
  tool("pyright", met("pyright", "knip"));
  tool("knip", met("knip", "pyright"));
  vitestReporting([green]);
  const { status, stdout } = gate();
  expect(status).toBe(1);
  expect(stdout).toContain("— python types\none of pyright\ntwo of pyright\n—");
  expect(stdout).toContain("— dead code\none of knip\ntwo of knip\n—");
  expect(stdout).toContain("\nfailed: python types\nfailed: dead code\n12 passed, 2 failed\n");
});

test("a file that passes when it runs alone is named as flaky, and the gate is green", () => {
  vitestReporting([green, red], { alone: [mended], exit: 1 });
  expect(gate()).toMatchObject({ status: 0, last: "17 passed, 0 failed", flaky: ["flaky: test/b.test.ts"] });
});

test("three flaky files fail the gate", () => {
  const names = ["test/b.test.ts", "test/c.test.ts", "test/d.test.ts"];
  const all = names.map((file) => ({ ...red, file }));
  vitestReporting(all, { alone: names.map((file) => ({ ...mended, file })), exit: 1 });
  const { status, last, flaky } = gate();
  expect({ status, last }).toEqual({ status: 1, last: "16 passed, 1 failed" });
  expect(flaky).toEqual(names.map((file) => `flaky: ${file}`));
});

test("an error outside any test is a failure, even beside a file that turns out flaky", () => {
  vitestReporting([green], { unhandled: 1, exit: 1 });
  expect(gate()).toMatchObject({ status: 1, last: "14 passed, 1 failed" });
  vitestReporting([green, red], { alone: [mended], unhandled: 1, exit: 1 });
  expect(gate().status).toBe(1);
});

test("tests that end badly without a reason, or without a report, are a failure", () => {
  vitestReporting([green], { exit: 1 });
  expect(gate()).toMatchObject({ status: 1, last: "14 passed, 1 failed" });
  tool("vitest", "exit 0");
  expect(gate()).toMatchObject({ status: 1, last: "7 passed, 1 failed" });
});

test("a set-up that stops is a failure with a count too", () => {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { test: "exit 2" } }));
  expect(gate()).toMatchObject({ status: 2, last: "0 passed, 1 failed" });
});

test("the report counts a skipped test and a file that cannot be loaded as failed, and names errors outside tests", async () => {
  mkdirSync(join(folder, "test"));
  const files = {
    "whole.test.ts": 'test("a", () => {});\ntest("b", () => {});',
    "part.test.ts": 'test("a", () => {});\ntest.skip("b", () => {});\ntest("c", () => { throw new Error(); });',
    "broken.test.ts": 'throw new Error("at import");',
    "hook.test.ts": 'afterAll(() => { throw new Error("too late"); });\ntest("a", () => {});',
    "stray.test.ts":
      'test("a", () => { setTimeout(() => { throw new Error("stray"); }, 0); return new Promise((done) => setTimeout(done, 50)); });',
  };
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, "test", name), `import { afterAll, test } from "vitest";\n${text}\n`);
  const vitest = join(packageFolder, "node_modules/vitest/vitest.mjs");
  symlinkSync(join(packageFolder, "node_modules/vitest"), join(folder, "node_modules/vitest"));
  const args = [vitest, "run", "--reporter=./scripts/gate/report.js"];
  expect(spawnSync(process.execPath, args, { cwd: folder }).status).toBe(1);
  const report = JSON.parse(readFileSync(join(folder, ".cache/tests.json"), "utf8"));
  const counts = report.files.map(({ file, passed, failed }: Outcome) => [file, passed, failed]).sort();
  expect(counts).toEqual([
    ["test/broken.test.ts", 0, 1],
    ["test/hook.test.ts", 1, 1],
    ["test/part.test.ts", 1, 2],
    ["test/stray.test.ts", 1, 0],
    ["test/whole.test.ts", 2, 0],
  ]);
  expect(report.unhandled).toBe(1);
});
