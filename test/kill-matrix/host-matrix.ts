import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { packageFolder } from "../../runner/base/package-folder.js";
import { endedOf, type SessionEnd } from "../helpers/crash-points.js";
import { GitRepo } from "../helpers/git-repo.js";
import { planted } from "../helpers/numbered-seed.js";
import type { TaskKind } from "../helpers/stateless-model.js";
import { inParallel, type PointReport } from "./points.js";

const kinds: readonly TaskKind[] = ["accepted", "mended", "rejected", "failed", "accepted"];
const killedAt = join(packageFolder, "test", "kill-matrix", "killed-at.js");

/** The brain on hands of the host and real git, killed before each of its steps in turn and started again. */
export async function hostMatrix(every: number): Promise<PointReport> {
  const folder = mkdtempSync(join(tmpdir(), "tilth-kills-"));
  try {
    const program = await compiled();
    const steps = await withPlace(folder, 0, async (place) => {
      const log = join(folder, "steps");
      writeFileSync(log, "");
      const undisturbed = await place.work({ KILLED_LOG: log }, program);
      if (undisturbed !== "all_done\n") throw new Error(`undisturbed it ended with ${undisturbed}`);
      const ended = await place.ended();
      return { ended, lines: readFileSync(log, "utf8").trimEnd().split("\n") };
    });
    const points = steps.lines.map((_, at) => at + 1).filter((at) => at % every === 0);
    const wrong = await inParallel(points, async (at) =>
      withPlace(folder, at, async (place) => {
        const killed = await place.work({ KILLED_AT: String(at) }, program);
        if (killed !== "") return `step ${at} (${steps.lines[at - 1]}): it was not killed`;
        await place.work({}, program);
        return difference(steps.ended, await place.ended(), `step ${at} (${steps.lines[at - 1]})`);
      }),
    );
    return { what: "the brain, on hands of the host", points: points.length, wrong };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Compares the ends. The tree is the same whatever the session is called; commits are not, so they are only counted.
 */
function difference(wanted: SessionEnd, seen: SessionEnd, at: string): string | null {
  return JSON.stringify(seen) === JSON.stringify(wanted) ? null : `${at}: ${JSON.stringify(seen)}`;
}

interface Place {
  work(env: Readonly<Record<string, string>>, program: string): Promise<string>;
  ended(): Promise<SessionEnd>;
}

async function withPlace<T>(folder: string, at: number, use: (place: Place) => Promise<T>): Promise<T> {
  const root = join(folder, `at-${at}`);
  mkdirSync(root);
  using repo = new GitRepo("source", root);
  repo.files({ "README.md": "# x\n" }).commit("first");
  const { files } = await planted(repo, { tasks: kinds.length });
  return await use({
    work: (env, program) => output([program, root, files.id, ...kinds], env),
    ended: () => endedOf(repo, files),
  });
}

async function output(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, ["--import", killedAt, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await once(child, "close");
  return said;
}

/** Bundles the program, because one file starts at once and hundreds of modules do not. */
async function compiled(): Promise<string> {
  const outfile = join(packageFolder, ".cache", "kill-matrix", "child.mjs");
  await build({
    entryPoints: [join(packageFolder, "test", "kill-matrix", "child.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "warning",
  });
  return outfile;
}
