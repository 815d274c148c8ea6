import { cp, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostPlaces } from "../base/host-places.js";
import { HostGit } from "../source/git/host-git.js";
import { exampleFolder } from "./script/steps.js";

/** The demo's own folder with a repository and a home, kept so that a person can look around in it. */
export interface DemoPlace {
  readonly folder: string;
  readonly source: string;
  readonly home: string;
  readonly seed: string;
  /** commit subjects of a branch, newest first */
  log(branch: string, signal: AbortSignal): Promise<string>;
}

const identity = [
  ["user.name", "tilth demo"],
  ["user.email", "demo@tilth.invalid"],
] as const;

export async function makeDemoPlace(host: HostPlaces, signal: AbortSignal): Promise<DemoPlace> {
  const git = HostGit.find(host);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tilth-demo-")));
  const source = join(folder, "todo");
  const home = join(folder, "home");
  try {
    await mkdir(home, { mode: 0o700 });
    await cp(join(exampleFolder, "repo"), source, { recursive: true });
    await commitAll(git, source, signal);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    folder,
    source,
    home,
    seed: exampleFolder,
    log: (branch, during) =>
      git.text(["log", "--format=%h %s", branch, "--"], {
        gitDir: join(source, ".git"),
        doing: "read the demo's branch",
        signal: during,
      }),
  };
}

async function commitAll(git: HostGit, source: string, signal: AbortSignal): Promise<void> {
  const call = { gitDir: join(source, ".git"), doing: "make the demo's repository", signal };
  const inside = { ...call, workTree: source, settings: identity };
  await git.text(["init", "--quiet", "--initial-branch=main"], call);
  await git.text(["add", "--all"], inside);
  await git.text(["commit", "--quiet", "--message=A todo list, to be"], inside);
}
