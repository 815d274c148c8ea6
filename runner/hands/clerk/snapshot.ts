import type { TreeId } from "../../support/ids.js";
import { parseRawDiff } from "../git-output.js";
import type { Change, Snapshot } from "../hands.js";
import type { ClerkShell } from "./clerk-shell.js";
import { type Gathered, gather } from "./gather.js";
import type { ClerkLimits } from "./limits.js";
import { type Recorded, record, type Steps } from "./record.js";
import { type RawPath, shown } from "./worktree-walk.js";

/** Makes trees of the worktree; the index in the repository remembers what was seen, so that a second look is cheap. */
export class Snapshots {
  private indexHolds: TreeId | null = null;
  private leftOutBefore: ReadonlySet<RawPath> = new Set();

  constructor(
    private readonly shell: ClerkShell,
    private readonly limits: ClerkLimits,
  ) {}

  async take(last: TreeId, signal: AbortSignal): Promise<Snapshot> {
    const gathered = await this.gather(last, signal);
    if (gathered.problems.length > 0) return refused(gathered.problems);
    const { tree, changes, dropped, objection } = await this.record(gathered, last, signal);
    if (dropped !== "") return refused([{ path: "", why: `holds what git does not take: ${dropped}` }]);
    if (objection !== null) return refused([{ path: "", why: `is refused by git's strict check: ${objection}` }]);
    return { ok: true, tree, changes, leftOut: this.newlyLeftOut(gathered.leftOut) };
  }

  /** A tree of whatever can be had, problems left aside: for a patch that nobody judges. */
  async takePart(last: TreeId, signal: AbortSignal): Promise<{ tree: TreeId; problems: Gathered["problems"] }> {
    const gathered = await this.gather(last, signal);
    const apart = gathered.problems.map(({ path }) => path);
    const isApart = (path: RawPath) => apart.some((each) => each === path || path.startsWith(`${each}/`));
    const removals = gathered.removals.filter((path) => !isApart(path));
    const { tree } = await this.record({ removals, additions: this.affordable(gathered, isApart) }, last, signal);
    return { tree, problems: gathered.problems };
  }

  async changes(from: TreeId, to: TreeId, signal: AbortSignal): Promise<readonly Change[]> {
    return parseRawDiff(await this.shell.git(["diff-tree", "-r", "--raw", "-z", "--no-renames", from, to], { signal }));
  }

  /** To be called by whoever wrote the index. */
  indexIsNow(tree: TreeId | null): void {
    this.indexHolds = tree;
  }

  private affordable({ additions, walk }: Gathered, isApart: (path: RawPath) => boolean): RawPath[] {
    let bytes = 0;
    const fits = (path: RawPath) => {
      bytes += walk.entries.get(path)?.size ?? 0;
      return bytes <= this.limits.changedBytes;
    };
    return additions.filter((path) => !isApart(path) && fits(path)).slice(0, this.limits.changedFiles);
  }

  /** T is a matter of the worktree and the last accepted tree, never of what was submitted in between. */
  private async gather(last: TreeId, signal: AbortSignal): Promise<Gathered> {
    const index = this.indexHolds === last ? null : last;
    this.indexHolds = null;
    const gathered = await gather(this.shell, { limits: this.limits, index, signal });
    // a look that was broken off may not have come to the index
    if (gathered.walk.tooMany) await this.shell.git(["read-tree", "--reset", last], { signal });
    this.indexHolds = last;
    return gathered;
  }

  private async record(steps: Steps, last: TreeId, signal: AbortSignal): Promise<Recorded> {
    this.indexHolds = null;
    const recorded = await record(this.shell, steps, { last, signal });
    if (recorded.dropped === "") this.indexHolds = recorded.tree;
    return recorded;
  }

  private newlyLeftOut(leftOut: readonly RawPath[]): string[] {
    const fresh = leftOut.filter((path) => !this.leftOutBefore.has(path));
    this.leftOutBefore = new Set(leftOut);
    return fresh.map(shown);
  }
}

function refused(problems: Gathered["problems"]): Snapshot {
  return { ok: false, problems: problems.map(({ path, why }) => ({ path: path === "" ? "." : shown(path), why })) };
}
