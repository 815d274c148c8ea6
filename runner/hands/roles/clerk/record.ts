import { TilthError } from "../../../base/errors.js";
import { type TreeId, treeId } from "../../../base/ids.js";
import type { Change } from "../../ports/clerk.js";
import { containerPaths } from "../../ports/container-paths.js";
import type { ClerkShell, CommandEnd } from "./shell/clerk-shell.js";
import { parseRawDiff } from "./shell/git-output.js";
import { checked, strictness } from "./shell/strictness.js";
import { submittedIndex } from "./worktree/worktree-look.js";
import type { RawPath } from "./worktree/worktree-walk.js";

export interface Recorded {
  readonly tree: TreeId;
  readonly changes: readonly Change[];
  /** git's messages about paths that it skipped although it exited with 0 */
  readonly dropped: string;
  /** the objection that the host's import would have to the new objects, or null */
  readonly objection: string | null;
}

export interface Steps {
  readonly removals: readonly RawPath[];
  readonly additions: readonly RawPath[];
}

const objected = 65;

/**
 * Brings a second index to the state of the worktree, and prints its tree and the differences. The new objects are
 * packed as they will travel, and checked in a place where nothing else is kept. It is one script, because each call
 * costs as much as a git.
 */
const script = `
  removals="$1" additions="$2" last="$3"
  rm -rf ${checked}/pack &
  ln -f ${containerPaths.repo}/index ${submittedIndex}
  export GIT_INDEX_FILE=${submittedIndex}
  [ "$removals" = 0 ] || head -c "$removals" | git update-index --force-remove -z --stdin
  [ "$additions" = 0 ] || git update-index --add --replace -z --stdin
  tree=$(git write-tree)
  echo "$tree"
  [ "$tree" != "$last" ] || exit 0
  wait
  git diff-tree -r --raw -z --no-renames "$last" "$tree" &
  printf '%s\\n^%s\\n' "$tree" "$last" | git pack-objects --revs --stdout -q --delta-base-offset |
    GIT_OBJECT_DIRECTORY=${checked} GIT_ALTERNATE_OBJECT_DIRECTORIES=/repo/objects \\
      git -c core.fsync=none index-pack ${strictness} --stdin >/dev/null || { wait; exit ${objected}; }
  wait $!`;

/** Returns null when it took too long: rules of the tree's own .gitattributes can cost git any time. */
export async function record(
  shell: ClerkShell,
  { removals, additions }: Steps,
  { last, timeoutMs, signal }: { readonly last: TreeId; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Recorded | null> {
  const [gone, come] = [zeroEnded(removals), zeroEnded(additions)];
  const run = { signal, timeoutMs, stdin: Buffer.concat([gone, come]) };
  const ended = await shell.attemptScript(script, run, [String(gone.length), String(come.length), last]);
  if (ended.timedOut) return null;
  if (ended.exit !== 0 && ended.exit !== objected) throw couldNot(ended);
  const tree = treeId(ended.stdout.toString("latin1", 0, 40));
  const changes = parseRawDiff(ended.stdout.subarray(41));
  if (ended.exit === 0) return { tree, changes, dropped: ended.stderr.trim(), objection: null };
  const objection = /^(?:error: )?object [0-9a-f]{40}: (.*)$/m.exec(ended.stderr)?.[1];
  if (objection === undefined) throw couldNot(ended);
  return { tree, changes, dropped: "", objection };
}

function zeroEnded(paths: readonly RawPath[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
}

function couldNot({ stderr }: CommandEnd): TilthError {
  return new TilthError("infra", `the clerk's git could not take in the worktree: ${stderr.trim()}`, "tilth resume");
}
