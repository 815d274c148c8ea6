import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageFolder } from "../../runner/base/package-folder.js";
import { realImage } from "../helpers/image.js";
import { Tilth } from "../helpers/tilth.js";

const root = mkdtempSync(join(tmpdir(), "tilth-package-"));
const checkout = join(root, "checkout");
const installed = join(root, "empty");
const ours = join(installed, "node_modules", "tilth");
const megabyte = 1024 * 1024;

function npm(cwd: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8", timeout: 300_000 });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

/** Packs in a checkout of its own, because packing compiles and others may be using this one's compiled files. */
function pack(): string {
  mkdirSync(checkout);
  const left = new Set([".git", ".cache", "node_modules", "dist", "test", "bench", "coverage"]);
  for (const name of readdirSync(packageFolder))
    if (!left.has(name)) cpSync(join(packageFolder, name), join(checkout, name), { recursive: true });
  symlinkSync(join(packageFolder, "node_modules"), join(checkout, "node_modules"));
  npm(checkout, "pack", "--silent", "--pack-destination", root);
  return readdirSync(root).find((name) => name.endsWith(".tgz")) ?? "nothing";
}

function bytesBelow(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

let tilth: Tilth;
let archive: string;
beforeAll(async () => {
  await realImage();
  archive = join(root, pack());
  mkdirSync(installed);
  npm(installed, "init", "--yes");
  const quietly = ["--prefer-offline", "--no-audit", "--no-fund"];
  // packages that tilth's depend on would compile parts of theirs, which tilth never loads
  npm(installed, "install", "--omit=dev", "--ignore-scripts", ...quietly, archive);
  tilth = new Tilth({}, join(installed, "node_modules", ".bin", "tilth"));
}, 600_000);
afterAll(() => {
  tilth?.[Symbol.dispose]();
  rmSync(root, { recursive: true, force: true });
});

test("the package holds what runs and no more, and brings only run-time dependencies", () => {
  expect(readdirSync(ours).sort()).toEqual(
    ["LICENSE", "README.md", "dist", "docker-compose.yml", "examples", "images", "package.json", "prompts"].sort(),
  );
  expect(readdirSync(join(ours, "dist")).sort()).toEqual(["cli", "runner"]);
  const files = readdirSync(ours, { recursive: true, encoding: "utf8" });
  expect(files.filter((name) => /__pycache__|\.pyc$|\.test\.|\.env$|\.tgz$/.test(name))).toEqual([]);
  for (const name of ["typescript", "vitest", "tsx", "@biomejs"])
    expect(existsSync(join(installed, "node_modules", name))).toBe(false);
  expect(statSync(archive).size).toBeLessThan(megabyte);
  expect(bytesBelow(join(installed, "node_modules"))).toBeLessThan(80 * megabyte);
});

test("the package has no script that runs when it is installed", () => {
  const { scripts } = JSON.parse(readFileSync(join(ours, "package.json"), "utf8"));
  expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$|^(pre|post)?prepare$/.test(name))).toEqual([]);
});

test("a program can import the package", () => {
  const program = `import("tilth").then(({ runSession, SessionStore }) => console.log(typeof runSession, typeof SessionStore))`;
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", program], { cwd: installed, encoding: "utf8" });
  expect([stdout, stderr]).toEqual(["function function\n", ""]);
});

/** The processor time of a command, which other programs on the machine hardly change. */
function computedMs(...command: readonly string[]): number {
  const counted = '"$@" > /dev/null && times';
  const { status, stdout } = spawnSync("bash", ["-c", counted, "bash", ...command], { encoding: "utf8" });
  const [, ofChildren = ""] = stdout.trim().split("\n");
  const spent = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  );
  expect([status, spent.length]).toEqual([0, 2]);
  return spent.reduce((sum, each) => sum + each, 0) * 1000;
}

test("the help is shown at once", () => {
  const help = [join(installed, "node_modules", ".bin", "tilth"), "--help"];
  let least = Number.POSITIVE_INFINITY;
  // the time of Node itself depends on the machine and the moment
  for (let at = 0; at < 20 && least >= 100; at += 1)
    least = Math.min(least, computedMs(...help) - computedMs(process.execPath, "-e", "0"));
  expect(least).toBeLessThan(100);
});

test("doctor, image build and the demo run from the package", async () => {
  const build = await tilth.run(["image", "build"]);
  expect(build).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sha256:[0-9a-f]{64} .*pytest/) });
  const doctor = JSON.parse((await tilth.run(["doctor", "--json"])).stdout);
  const found = doctor.findings.map(({ name, ok }: { name: string; ok: boolean }) => `${name} ${ok}`);
  expect(found).toEqual(["git true", "home true", "engine true", "image true", "isolation true", "endpoint false"]);
  const demo = await tilth.run(["demo"]);
  expect(demo.code).toBe(0);
  expect(demo.stdout.match(/^[0-9a-f]{7} (T-00[1-5]|seed): /gm)).toHaveLength(6);
});
