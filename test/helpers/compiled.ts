import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageFolder } from "../../runner/base/package-folder.js";

const cache = join(packageFolder, ".cache");
const keptMs = 60 * 60_000;

/** Gives the command line built from the present sources. It is built once, whichever tests run beside each other. */
export function compiledTilth(): string {
  const folder = join(cache, `tilth-${sourcesHash()}`);
  if (!existsSync(folder)) build(folder);
  return join(folder, "cli", "main.js");
}

function build(folder: string): void {
  mkdirSync(cache, { recursive: true });
  removeOld();
  const half = `${folder}.${process.pid}`;
  const tsc = join("node_modules", "typescript", "bin", "tsc");
  // the gate has looked at the types before
  ran([tsc, "-p", "tsconfig.build.json", "--outDir", half, "--declaration", "false", "--noCheck"]);
  ran([join("scripts", "bundle.js"), half]);
  try {
    renameSync(half, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(half, { recursive: true, force: true });
  }
}

function ran(args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: packageFolder, encoding: "utf8" });
  if (status !== 0) throw new Error(`the sources cannot be built:\n${stdout}${stderr}`);
}

/** The script and the style of the page, from the same sources. */
export function pageFolder(): string {
  return join(dirname(compiledTilth()), "page");
}

function removeOld(): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    // another test file may be removing an old one at this moment
    const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (name.startsWith("tilth-") && Date.now() - made >= keptMs) rmSync(path, { recursive: true, force: true });
  }
}

function sourcesHash(): string {
  const hash = createHash("sha256");
  for (const name of ["tsconfig.json", "scripts/bundle-cli.js", "scripts/bundle-page.js"])
    hash.update(readFileSync(join(packageFolder, name)));
  for (const folder of ["cli", "runner"])
    for (const name of readdirSync(join(packageFolder, folder), { recursive: true, encoding: "utf8" }).sort())
      if (/\.(ts|css)$/.test(name)) hash.update(name).update(readFileSync(join(packageFolder, folder, name)));
  return hash.digest("hex").slice(0, 12);
}
