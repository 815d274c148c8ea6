import { execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { copiedOnce } from "./copied-once.js";

export interface GitRun {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const noConfiguration = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

/** Runs plain git on the host, with no configuration but its own arguments. */
export async function git(args: readonly string[], run: GitRun = {}): Promise<Buffer> {
  const child = spawn("git", args, {
    cwd: run.cwd ?? "/",
    env: { ...noConfiguration, ...run.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  child.stdin.on("error", () => undefined);
  child.stdin.end(run.input ?? "");
  const exit = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (exit === 0) return Buffer.concat(out);
  throw new Error(`git ${args.join(" ")} ended with ${exit}: ${Buffer.concat(err).toString("utf8")}`);
}

export async function gitLine(args: readonly string[], run: GitRun = {}): Promise<string> {
  return (await git(args, run)).toString("utf8").trim();
}

export function bareRepository(folder: string): void {
  copiedOnce("bare", folder, () => {
    const init = ["init", "--quiet", "--bare", "--initial-branch=work", "--template=", folder];
    execFileSync("git", init, { env: noConfiguration });
    mkdirSync(join(folder, "info"));
  });
}
