import type { ClerkLimits } from "../shell/limits.js";
import { isGitName } from "./git-names.js";
import { ignoredAmong } from "./ignored.js";
import { foldersOf, parentOf } from "./index-status.js";
import { linkProblems } from "./link-problems.js";
import { repositoryShapes } from "./repository-shapes.js";
import type { ScanTools, WorktreeScan } from "./scanned.js";
import type { Problem, RawPath, WalkEntry } from "./worktree-walk.js";

const mostNamed = 20;

/** Finds everything that `git add` would silently turn into something else, or that must not be in a tree. */
export async function findProblems(scanned: WorktreeScan, tools: ScanTools): Promise<readonly Problem[]> {
  const suspects = [...repositories(scanned), ...strangeEntries(scanned)];
  const ignored = await ignoredAmong(
    suspects.map(({ path }) => path),
    tools,
  );
  const found = [
    ...suspects.filter(({ path }) => !ignored.has(path)),
    ...badNames(scanned.additions, tools.limits),
    ...(await linkProblems(scanned, tools)),
    ...overLimits(scanned, tools.limits),
  ];
  const byPath = new Map(found.map((problem) => [problem.path, problem]));
  return [...byPath.values()].slice(0, mostNamed);
}

function repositories({ walk, status, additions }: WorktreeScan): Problem[] {
  const { gitEntries, gitDirs } = repositoryShapes(walk);
  const changed = foldersOf([...additions, ...status.touched]);
  const why = "is a nested git repository; remove it, or move its files out of it";
  const holders = gitEntries.map((path) => parentOf(path) || path);
  const fresh = gitDirs.filter((folder) => changed.has(folder) || folder === "");
  const named = [...status.untracked].filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
  return [...holders, ...fresh, ...named].map((path) => ({ path, why }));
}

function strangeEntries({ walk }: WorktreeScan): Problem[] {
  const problems: Problem[] = [];
  for (const [path, entry] of walk.entries) {
    const why = strangeness(entry);
    if (why !== null) problems.push({ path, why });
  }
  return problems;
}

function strangeness({ type, mode }: WalkEntry): string | null {
  switch (type) {
    case "d":
      return (mode & 0o500) === 0o500 ? null : "is a folder that cannot be read";
    case "f":
      return (mode & 0o400) === 0o400 ? null : "is a file that cannot be read";
    case "l":
      return null;
    case "p":
      return "is a FIFO, not a file";
    case "s":
      return "is a socket, not a file";
    default:
      return "is a device, not a file";
  }
}

function badNames(additions: readonly RawPath[], limits: ClerkLimits): Problem[] {
  return additions.flatMap((path) => {
    const components = path.split("/");
    if (components.some(isGitName)) return [{ path, why: "has a name that some systems take for .git" }];
    if (components.length > limits.depth) return [{ path, why: `lies more than ${limits.depth} folders deep` }];
    return path.length > limits.pathBytes ? [{ path, why: `has a path of more than ${limits.pathBytes} bytes` }] : [];
  });
}

function overLimits({ walk, additions }: WorktreeScan, limits: ClerkLimits): Problem[] {
  const bytes = additions.reduce((sum, path) => sum + (walk.entries.get(path)?.size ?? 0), 0);
  const whole = (why: string) => ({ path: "", why });
  return [
    additions.length > limits.changedFiles
      ? [whole(`has ${additions.length} new or changed files, more than the ${limits.changedFiles} a change may have`)]
      : [],
    bytes > limits.changedBytes
      ? [whole(`has ${bytes} bytes in new or changed files, more than the ${limits.changedBytes} a change may have`)]
      : [],
    walk.diskBytes > limits.worktreeBytes
      ? [whole(`takes ${walk.diskBytes} bytes of disk, more than the ${limits.worktreeBytes} of TILTH_SANDBOX_DISK`)]
      : [],
  ].flat();
}
