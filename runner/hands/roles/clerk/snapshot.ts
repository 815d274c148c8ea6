import type { TreeId } from "../../../base/ids.js";
import type { Change, Snapshot } from "../../ports/clerk.js";
import { type Recorded, record, type Steps } from "./record.js";
import type { ClerkShell } from "./shell/clerk-shell.js";
import { parseRawDiff } from "./shell/git-output.js";
import type { ClerkLimits } from "./shell/limits.js";
import { gather, type WorktreeChanges } from "./worktree/gather.js";
import { type LookOptions, rootFolderOf } from "./worktree/worktree-look.js";
import { type RawPath, shown } from "./worktree/worktree-walk.js";

interface Part {
  readonly tree: TreeId;
  readonly problems: WorktreeChanges["problems"];
}

/**
 * Makes trees of the worktree. Two indexes in the repository remember earlier looks, so that a second look is cheap:
 * one of the last accepted tree, one of what was submitted since.
 */
export class Snapshots {
  private indexHolds: TreeId | null = null;
  private submittedHolds: TreeId | null = null;
  private writtenAt: number | null = null;
  private leftOutBefore: ReadonlySet<RawPath> = new Set();

  constructor(
    private readonly shell: ClerkShell,
    private readonly limits: ClerkLimits,
  ) {}

  async take(last: TreeId, signal: AbortSignal): Promise<Snapshot> {
    const gathered = await this.gather(last, signal);
    if (gathered.problems.length > 0) return refused(gathered.problems);
    const recorded = await this.record(gathered, last, signal);
    if (recorded === null) return refused([{ path: "", why: this.tooSlow() }]);
    const { tree, changes, dropped, objection } = recorded;
    if (dropped !== "") return refused([{ path: "", why: `holds what git does not take: ${dropped}` }]);
    if (objection !== null) return refused([{ path: "", why: `is refused by git's strict check: ${objection}` }]);
    return { ok: true, tree, changes, leftOut: this.newlyLeftOut(gathered.leftOut) };
  }

  /** Makes a tree of whatever can be had and skips problems: for a patch that nobody judges. */
  async takePart(last: TreeId, signal: AbortSignal): Promise<Part> {
    const whole = await this.gather(last, signal);
    const { obstacles } = whole.walk;
    const aside = [...new Set(obstacles.map(({ path }) => rootFolderOf(path)))];
    if (aside.includes("")) return { tree: last, problems: obstacles };
    const gathered = aside.length === 0 ? whole : await this.gather(last, signal, aside);
    const part = await this.recordPart(gathered, last, signal);
    return { ...part, problems: [...obstacles, ...part.problems] };
  }

  private async recordPart(gathered: WorktreeChanges, last: TreeId, signal: AbortSignal): Promise<Part> {
    if (gathered.walk.obstacles.length > 0) return { tree: last, problems: gathered.problems };
    const apart = gathered.problems.map(({ path }) => path);
    const isApart = (path: RawPath) => apart.some((each) => each === path || path.startsWith(`${each}/`));
    const removals = gathered.removals.filter((path) => !isApart(path));
    const recorded = await this.record({ removals, additions: this.affordable(gathered, isApart) }, last, signal);
    if (recorded === null) return { tree: last, problems: [{ path: "", why: this.tooSlow() }] };
    return { tree: recorded.tree, problems: gathered.problems };
  }

  async changes(from: TreeId, to: TreeId, signal: AbortSignal): Promise<readonly Change[]> {
    return parseRawDiff(await this.shell.git(["diff-tree", "-r", "--raw", "-z", "--no-renames", from, to], { signal }));
  }

  /** Call this after writing the worktree from the index, file for file. */
  wroteWorktree(tree: TreeId): void {
    this.indexIsNow(tree);
    this.writtenAt = performance.now();
  }

  /** Call this after writing the index. */
  indexIsNow(tree: TreeId | null): void {
    this.indexHolds = tree;
    this.submittedHolds = null;
  }

  private indexFor(last: TreeId): LookOptions["index"] {
    if (this.indexHolds === last) return this.isTrusted() ? "stays" : last;
    return this.submittedHolds === last ? "submitted" : last;
  }

  /** git reads a file again that is as young as its index; an index written two seconds later is younger than all. */
  private isTrusted(): boolean {
    if (this.writtenAt === null) return true;
    if (performance.now() - this.writtenAt > 2_000) this.writtenAt = null;
    return false;
  }

  private affordable({ additions, walk }: WorktreeChanges, isApart: (path: RawPath) => boolean): RawPath[] {
    let bytes = 0;
    const fits = (path: RawPath) => {
      bytes += walk.entries.get(path)?.size ?? 0;
      return bytes <= this.limits.changedBytes;
    };
    return additions.filter((path) => !isApart(path) && fits(path)).slice(0, this.limits.changedFiles);
  }

  /** The tree depends on the worktree and the last accepted tree only, never on what was submitted in between. */
  private async gather(last: TreeId, signal: AbortSignal, aside: readonly RawPath[] = []): Promise<WorktreeChanges> {
    const index = this.indexFor(last);
    this.indexIsNow(null);
    const gathered = await gather(this.shell, { limits: this.limits, index, aside, signal });
    // a look that was broken off may not have reached the index
    if (gathered.walk.obstacles.length === 0) this.indexHolds = last;
    return gathered;
  }

  private async record(steps: Steps, last: TreeId, signal: AbortSignal): Promise<Recorded | null> {
    this.submittedHolds = null;
    const timeoutMs = this.limits.lookSeconds * 1000;
    const recorded = await record(this.shell, steps, { last, timeoutMs, signal });
    if (recorded?.dropped === "") this.submittedHolds = recorded.tree;
    return recorded;
  }

  private tooSlow(): string {
    return `could not be made a tree within ${this.limits.lookSeconds} seconds`;
  }

  private newlyLeftOut(leftOut: readonly RawPath[]): string[] {
    const fresh = leftOut.filter((path) => !this.leftOutBefore.has(path));
    this.leftOutBefore = new Set(leftOut);
    return fresh.map(shown);
  }
}

function refused(problems: WorktreeChanges["problems"]): Snapshot {
  return { ok: false, problems: problems.map(({ path, why }) => ({ path: path === "" ? "." : shown(path), why })) };
}
