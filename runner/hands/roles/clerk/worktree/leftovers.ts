import { TilthError } from "../../../../base/errors.js";
import type { TreeId } from "../../../../base/ids.js";
import { executesOnOrdinaryActions } from "../../../../disk/executing-files.js";
import { oneLine } from "../../../../text/sanitise.js";
import type { Leftovers } from "../../../ports/clerk.js";
import type { ClerkShell } from "../shell/clerk-shell.js";
import type { ClerkLimits } from "../shell/limits.js";
import { ignoredAmong } from "./ignored.js";
import { foldersOf, type IndexStatus } from "./index-status.js";
import { repositoryShapes } from "./repository-shapes.js";
import { lookAtWorktree } from "./worktree-look.js";
import { type RawPath, shown, type Walk } from "./worktree-walk.js";

const disarm = ["/opt/tilth/python", "-I", "-S", "/opt/tilth/disarm.py"] as const;
/** A list that a person has to read must not be longer. */
const mostNamed = 200;

const emptyScript = `
  [ -z "$(find . -path ./.git -prune -o -type d ! -perm -0700 -print -quit)" ] || ${disarm.join(" ")} open
  find . -mindepth 1 ! -path ./.git -delete`;

export async function emptyWorktree(shell: ClerkShell, signal: AbortSignal): Promise<void> {
  await shell.script("emptying the worktree", emptyScript, { signal });
}

interface StoppedWorktree {
  readonly last: TreeId;
  readonly limits: ClerkLimits;
  readonly signal: AbortSignal;
}

/** Throws TilthError `infra` when something cannot be made harmless. */
export async function defuse(shell: ClerkShell, { last, limits, signal }: StoppedWorktree): Promise<Leftovers> {
  await disarmed(shell, "open", { signal });
  const look = { limits: { ...limits, lookSeconds: limits.lastLookSeconds }, index: last, signal };
  const { walk, status } = await lookAtWorktree(shell, look);
  const [obstacle] = walk.obstacles;
  // without a complete look, no folder is known to be unchanged
  const spared = obstacle ? [] : unchangedGitDirs(walk, status);
  const stdin = Buffer.from(spared.map((path) => `${path}\0`).join(""), "latin1");
  const renamed = (await disarmed(shell, "rename", { signal, stdin })).toString("latin1").split("\0").slice(0, -1);
  const executes = [...walk.entries.keys()].filter((path) => isNew(path, status) && executesOnOrdinaryActions(path));
  const ignored = obstacle ? new Set() : await ignoredAmong(executes, { shell, ...look });
  return {
    renamed: named(renamed),
    executes: named(executes.filter((path) => !ignored.has(path)).sort()),
    problem: obstacle
      ? `not all of it was looked at: ${oneLine(shown(obstacle.path) || "it", 100)} ${obstacle.why}`
      : null,
  };
}

async function disarmed(
  shell: ClerkShell,
  what: "open" | "rename",
  run: { readonly signal: AbortSignal; readonly stdin?: Uint8Array },
): Promise<Buffer> {
  const ended = await shell.attempt([...disarm, what], run);
  if (ended.exit === 0) return ended.stdout;
  const why = ended.stderr.trim().split("\n").at(-1) || "something in it could not be renamed";
  throw new TilthError(
    "infra",
    `the worktree could not be made harmless: ${why}`,
    "look at it before you run git there",
  );
}

function isNew(path: RawPath, { cached, touched }: IndexStatus): boolean {
  return !cached.has(path) || touched.has(path);
}

/** Finds folders that look like repositories and are unchanged since the last accepted tree: fixtures of its tests. */
function unchangedGitDirs(walk: Walk, status: IndexStatus): RawPath[] {
  const files = [...walk.entries].filter(([, { type }]) => type !== "d").map(([path]) => path);
  const changed = foldersOf(files.filter((path) => isNew(path, status)));
  return repositoryShapes(walk).gitDirs.filter((folder) => !changed.has(folder));
}

function named(paths: readonly RawPath[]): string[] {
  const more = paths.length - mostNamed;
  return [...paths.slice(0, mostNamed).map(shown), ...(more > 0 ? [`and ${more} more`] : [])];
}
