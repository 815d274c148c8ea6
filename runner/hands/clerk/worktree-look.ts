import type { TreeId } from "../../support/ids.js";
import { containerPaths } from "../container-paths.js";
import type { ClerkShell } from "./clerk-shell.js";
import { type IndexStatus, parseStatus, statusArgs } from "./index-status.js";
import type { ClerkLimits } from "./limits.js";
import type { RawPath, Walk, WalkEntry } from "./worktree-walk.js";

const endOfWalk = "status";

/**
 * Lists what stands in the worktree, without opening or following anything, and beside it what git makes of that. An
 * index that is to hold another tree first is given it; what it knows of unchanged files stays.
 */
const script = `
  limit="$1" tree="$2"
  { [ -z "$tree" ] || git read-tree --reset "$tree" && git ls-files ${statusArgs}; } > /tmp/status &
  find ${containerPaths.workspace} -mindepth 1 -maxdepth "$limit" -path ${containerPaths.workspace}/.git -prune -o \\
    -printf '%y %m %s %b\\0%P\\0%l\\0' || :
  printf '${endOfWalk}\\0\\0\\0'
  wait $!
  cat /tmp/status`;

export interface LookOptions {
  readonly limits: ClerkLimits;
  /** what the index is to hold; null when it does already */
  readonly index: TreeId | null;
  readonly signal: AbortSignal;
}

export interface Look {
  readonly walk: Walk;
  /** says nothing where the walk found too much */
  readonly status: IndexStatus;
}

export async function lookAtWorktree(shell: ClerkShell, { limits, index, signal }: LookOptions): Promise<Look> {
  const enough = new AbortController();
  const reading = new LookReader(limits.worktreeEntries, () => enough.abort());
  const run = { signal: AbortSignal.any([signal, enough.signal]), onData: (chunk: Uint8Array) => reading.add(chunk) };
  try {
    await shell.script("looking at the worktree", script, run, [String(limits.depth + 1), index ?? ""]);
  } catch (error) {
    if (signal.aborted || !enough.signal.aborted) throw error;
  }
  return reading.end();
}

class LookReader {
  private readonly entries = new Map<RawPath, WalkEntry>();
  private readonly status: string[] = [];
  private diskBytes = 0;
  private rest = "";
  private stopped = false;
  private walked = false;

  constructor(
    private readonly limit: number,
    private readonly stop: () => void,
  ) {}

  add(chunk: Uint8Array): void {
    if (this.stopped) return;
    const fields = (this.rest + Buffer.from(chunk).toString("latin1")).split("\0");
    this.rest = fields.pop() ?? "";
    const left = this.walked ? fields : this.takeEntries(fields);
    if (this.walked) this.status.push(...left);
    else this.rest = [...left, this.rest].join("\0");
    if (this.entries.size <= this.limit) return;
    this.stopped = true;
    this.stop();
  }

  end(): Look {
    const walk = { entries: this.entries, diskBytes: this.diskBytes, tooMany: this.stopped };
    return { walk, status: parseStatus(this.stopped ? [] : this.status) };
  }

  /** Three fields each; gives those that are none of the walk's, or not all of an entry. */
  private takeEntries(fields: readonly string[]): readonly string[] {
    let at = 0;
    for (; at + 3 <= fields.length && !this.walked; at += 3) {
      if (fields[at] === endOfWalk) this.walked = true;
      else this.take(fields[at] ?? "", fields[at + 1] ?? "", fields[at + 2] ?? "");
    }
    return fields.slice(at);
  }

  private take(facts: string, path: RawPath, target: string): void {
    const [type = "", mode = "", size = "", blocks = ""] = facts.split(" ");
    this.diskBytes += Number(blocks) * 512;
    this.entries.set(path, { type, mode: Number.parseInt(mode, 8), size: Number(size), target });
  }
}
