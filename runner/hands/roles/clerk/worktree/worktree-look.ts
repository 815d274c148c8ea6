import type { TreeId } from "../../../../base/ids.js";
import { containerPaths } from "../../../ports/container-paths.js";
import { argvString } from "../shell/argv-string.js";
import { type ClerkShell, failed } from "../shell/clerk-shell.js";
import type { ClerkLimits } from "../shell/limits.js";
import { type IndexStatus, parseStatus, statusArgs } from "./index-status.js";
import type { Problem, RawPath, Walk, WalkEntry } from "./worktree-walk.js";

const endOfWalk = "status";
const oddMark = "! ";
/** the limit for a file that git reads whole before it looks at anything */
const readByGitKb = 256;
const mostNamed = 20;

/** Lies beside the index of the last accepted tree, whatever later looks at the worktree bring. */
export const submittedIndex = `${containerPaths.repo}/index.submitted`;

/** Files that git would open by itself and wait for, or read without end; and folders deeper than a tree may be. */
const odd = `\\( \\
    \\( -iname .gitignore -o -iname .gitattributes \\) ! -type d ! -type l \\( ! -type f -o -size +${readByGitKb}k \\) -o \\
    -iname commondir ! -type d \\( ! -type f -o -size +${readByGitKb}k \\) -o \\
    -iname HEAD ! -type d ! -type l ! -type f -o \\
    -type p -ipath '*/.git/*' -o \\
    -type d -regex "$deep" \\)`;

/**
 * Lists the entries of the worktree without opening or following anything. If none of them would make git hang, it then
 * lists git's view of them. When the index is to hold another tree, that is read into it first (which opens files too,
 * if they are as young as the index); its knowledge of unchanged files stays. When folders are left aside, git is asked
 * about the rest, and enters none of them.
 */
const script = `
  depth="$1" index="$2" deep="${containerPaths.workspace}\\(/[^/]*\\)\\{$1\\}"
  LC_ALL=C find ${containerPaths.workspace} -mindepth 1 -maxdepth "$depth" -regextype posix-basic \\
    -path ${containerPaths.workspace}/.git -prune -o \\
    \\( \\( ${odd} -fprintf /tmp/odd x -printf '${oddMark}' \\) , -printf '%y %m %s %b\\0%P\\0%l\\0' \\) || :
  printf '${endOfWalk}\\0\\0\\0'
  shift 2
  [ ! -s /tmp/odd ] || [ "$#" -gt 0 ] || exit 0
  case "$index" in
    stays) ;;
    submitted) mv -f ${submittedIndex} ${containerPaths.repo}/index ;;
    *) git read-tree --reset "$index" ;;
  esac
  git ls-files ${statusArgs} -- "$@"`;

export interface LookOptions {
  readonly limits: ClerkLimits;
  /** the index to use: as it is, the one of the last submit, or one of a tree */
  readonly index: "stays" | "submitted" | TreeId;
  /** folders of the root to leave aside, because something in them would make git hang */
  readonly aside?: readonly RawPath[];
  readonly signal: AbortSignal;
}

export interface Look {
  readonly walk: Walk;
  readonly status: IndexStatus;
}

export async function lookAtWorktree(shell: ClerkShell, options: LookOptions): Promise<Look> {
  const { limits, index, aside = [], signal } = options;
  const enough = new AbortController();
  const reading = new LookReader(limits, new Set(aside), () => enough.abort());
  const run = {
    signal: AbortSignal.any([signal, enough.signal]),
    timeoutMs: limits.lookSeconds * 1000,
    onData: (chunk: Uint8Array) => reading.add(chunk),
  };
  try {
    const ended = await shell.attemptScript(script, run, [String(limits.depth + 1), index, ...pathspecs(aside)]);
    if (ended.timedOut) reading.tookTooLong();
    else if (ended.exit !== 0) throw failed("looking at the worktree", ended);
  } catch (error) {
    if (signal.aborted || !enough.signal.aborted) throw error;
  }
  return reading.end();
}

function pathspecs(aside: readonly RawPath[]): string[] {
  return aside.length === 0
    ? []
    : [".", ...aside.map((folder) => argvString(Buffer.from(`:(exclude,literal)${folder}`, "latin1")))];
}

export function rootFolderOf(path: RawPath): RawPath {
  return path.slice(0, Math.max(0, path.indexOf("/")));
}

class LookReader {
  private readonly entries = new Map<RawPath, WalkEntry>();
  private readonly obstacles: Problem[] = [];
  private readonly status: string[] = [];
  private diskBytes = 0;
  private bytes = 0;
  private rest = "";
  private stopped = false;
  private walked = false;

  constructor(
    private readonly limits: ClerkLimits,
    private readonly aside: ReadonlySet<RawPath>,
    private readonly stop: () => void,
  ) {}

  add(chunk: Uint8Array): void {
    if (this.stopped) return;
    this.bytes += chunk.length;
    const fields = (this.rest + Buffer.from(chunk).toString("latin1")).split("\0");
    this.rest = fields.pop() ?? "";
    const left = this.walked ? fields : this.takeEntries(fields);
    if (this.walked) this.status.push(...left);
    else this.rest = [...left, this.rest].join("\0");
    const { worktreeEntries, worktreeNames } = this.limits;
    if (this.entries.size > worktreeEntries) this.giveUp(`holds more than ${worktreeEntries} files and folders`);
    else if (this.bytes > worktreeNames) this.giveUp(`has more than ${worktreeNames} bytes of names`);
  }

  tookTooLong(): void {
    this.giveUp(`could not be looked through within ${this.limits.lookSeconds} seconds`);
  }

  end(): Look {
    const { entries, diskBytes, obstacles } = this;
    return { walk: { entries, diskBytes, obstacles }, status: parseStatus(obstacles.length > 0 ? [] : this.status) };
  }

  private giveUp(why: string): void {
    this.obstacles.unshift({ path: "", why });
    this.stopped = true;
    this.stop();
  }

  /** Takes three fields per entry; returns those after the end of the walk, or of an incomplete entry. */
  private takeEntries(fields: readonly string[]): readonly string[] {
    let at = 0;
    for (; at + 3 <= fields.length && !this.walked; at += 3) {
      if (fields[at] === endOfWalk) this.walked = true;
      else this.take(fields[at] ?? "", fields[at + 1] ?? "", fields[at + 2] ?? "");
    }
    return fields.slice(at);
  }

  private take(facts: string, path: RawPath, target: string): void {
    if (this.aside.has(rootFolderOf(path))) return;
    const isOdd = facts.startsWith(oddMark);
    const [type = "", mode = "", size = "", blocks = ""] = facts.slice(isOdd ? oddMark.length : 0).split(" ");
    if (isOdd && this.obstacles.length < mostNamed) this.obstacles.push({ path, why: this.whyOdd(type) });
    this.diskBytes += Number(blocks) * 512;
    this.entries.set(path, { type, mode: Number.parseInt(mode, 8), size: Number(size), target });
  }

  private whyOdd(type: string): string {
    if (type === "d") return `lies more than ${this.limits.depth} folders deep`;
    return `is what git reads by itself, and must be a plain file of at most ${readByGitKb} KB`;
  }
}
