import { TilthError } from "../../../base/errors.js";
import type { CommitId } from "../../../base/ids.js";
import { oneLine } from "../../../text/sanitise.js";
import type { ClerkShell } from "./shell/clerk-shell.js";
import type { ClerkLimits } from "./shell/limits.js";
import { strictnessOfBase } from "./shell/strictness.js";

const incoming = "/repo/incoming";
const apart = { GIT_OBJECT_DIRECTORY: incoming, GIT_ALTERNATE_OBJECT_DIRECTORIES: "/repo/objects" };

export interface IntakeOptions {
  readonly limits: ClerkLimits;
  readonly signal: AbortSignal;
}

/** Takes in a pack: keeps it apart until its trees are counted and every object is checked. */
export async function takePack(
  shell: ClerkShell,
  { pack, tip }: { pack: AsyncIterable<Uint8Array>; tip: CommitId },
  { limits, signal }: IntakeOptions,
): Promise<void> {
  await shell.script("making room for a pack", `rm -rf ${incoming}; mkdir ${incoming}`, { signal });
  const most = `--max-input-size=${limits.baseBytes}`;
  const stored = await shell.attemptGit(["index-pack", "--stdin", most], { signal, stdin: pack, env: apart });
  if (stored.exit !== 0) throw refused(tip, stored.stderr);
  await cutHistory(shell, tip, signal);
  await countTree(shell, tip, { limits, signal });
  const script = `
    for pack in ${incoming}/pack/*.pack; do git index-pack --verify ${strictnessOfBase} "$pack"; done
    mkdir -p /repo/objects/pack
    shopt -s nullglob
    for file in ${incoming}/pack/*.pack ${incoming}/pack/*.rev ${incoming}/pack/*.idx; do
      mv "$file" /repo/objects/pack/
    done
    rm -rf ${incoming}`;
  const checked = await shell.attemptScript(script, { signal, env: apart });
  if (checked.exit !== 0)
    throw refused(tip, checked.stderr, await placeOf(shell, { tip, said: checked.stderr }, signal));
}

/** Finds the first path of the object that git complains about, because an id alone tells a person nothing. */
async function placeOf(
  shell: ClerkShell,
  { tip, said }: { tip: CommitId; said: string },
  signal: AbortSignal,
): Promise<string> {
  const oid = /\b(?:object|in blob|in tree) ([0-9a-f]{40})\b/.exec(said)?.[1];
  if (oid === undefined) return "";
  const listing = await shell.attemptGit(["ls-tree", "-r", "-t", "-z", tip], { signal, env: apart });
  const records = listing.stdout.toString("utf8").split("\0");
  const path = records.find((record) => record.includes(` ${oid}\t`))?.split("\t", 2)[1];
  return path === undefined ? "" : ` in '${oneLine(path, 200)}'`;
}

/** Makes commits whose parents did not come along the beginning of history. */
async function cutHistory(shell: ClerkShell, tip: CommitId, signal: AbortSignal): Promise<void> {
  const roots: string[] = [];
  for (let generation: readonly string[] = [tip]; generation.length > 0; ) {
    const known = await parentsOf(shell, generation, signal);
    const parents = await parentsOf(shell, [...new Set([...known.values()].flat())], signal);
    for (const [commit, wanted] of known) if (wanted.some((parent) => !parents.has(parent))) roots.push(commit);
    generation = [...known].filter(([commit]) => !roots.includes(commit)).flatMap(([, wanted]) => wanted);
  }
  const stdin = Buffer.from(roots.map((root) => `${root}\n`).join(""));
  // git takes an empty file for a shallow repository without roots
  const script = "cat > /repo/shallow; [ -s /repo/shallow ] || rm /repo/shallow";
  await shell.script("cutting history", script, { signal, stdin });
}

/** Returns those of `commits` that are there, with the ids of their parents. */
async function parentsOf(
  shell: ClerkShell,
  commits: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, readonly string[]>> {
  const known = new Map<string, readonly string[]>();
  if (commits.length === 0) return known;
  const stdin = Buffer.from(commits.map((commit) => `${commit}\n`).join(""));
  const output = await shell.git(["cat-file", "--batch"], { signal, stdin, env: apart });
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    const [oid = "", kind, size] = output.toString("latin1", at, end).split(" ");
    at = end + 1;
    if (kind !== "commit") continue; // "<id> missing" has nothing after it
    const header = output.toString("latin1", at, at + Number(size)).split("\n\n", 1)[0] ?? "";
    known.set(
      oid,
      [...header.matchAll(/^parent ([0-9a-f]{40})$/gm)].map((match) => match[1] ?? ""),
    );
    at += Number(size) + 1;
  }
  return known;
}

/** A few hundred bytes of trees can name a hundred million files, so they are counted before any is written. */
async function countTree(shell: ClerkShell, tip: CommitId, { limits, signal }: IntakeOptions): Promise<void> {
  const enough = new AbortController();
  const count = new TreeCount(limits, () => enough.abort());
  const listing = shell.attemptGit(["ls-tree", "-r", "-t", "-l", "-z", tip], {
    signal: AbortSignal.any([signal, enough.signal]),
    env: apart,
    onData: (chunk) => count.add(chunk),
  });
  const ended = await listing.catch((error: unknown) => {
    if (signal.aborted || count.excess === null) throw error;
    return null;
  });
  if (count.excess !== null) throw refused(tip, count.excess);
  if (ended?.exit !== 0) throw refused(tip, ended?.stderr ?? "");
}

class TreeCount {
  excess: string | null = null;
  private entries = 0;
  private bytes = 0;
  private deepest = 0;
  private rest = "";

  constructor(
    private readonly limits: ClerkLimits,
    private readonly stop: () => void,
  ) {}

  add(chunk: Uint8Array): void {
    if (this.excess !== null) return;
    const records = (this.rest + Buffer.from(chunk).toString("latin1")).split("\0");
    this.rest = records.pop() ?? "";
    for (const record of records) this.take(record);
    this.excess = this.tooMuch();
    if (this.excess !== null) this.stop();
  }

  private take(record: string): void {
    const tab = record.indexOf("\t");
    const size = record.slice(0, tab).split(/ +/)[3];
    this.entries += 1;
    this.bytes += size === undefined || size === "-" ? 0 : Number(size);
    this.deepest = Math.max(this.deepest, record.slice(tab + 1).split("/").length);
  }

  private tooMuch(): string | null {
    const { baseEntries, baseBytes, depth } = this.limits;
    if (this.entries > baseEntries) return `it has more than ${baseEntries} files and folders`;
    if (this.bytes > baseBytes) return `its files have more than ${baseBytes} bytes (TILTH_SANDBOX_DISK)`;
    return this.deepest > depth ? `it is more than ${depth} folders deep` : null;
  }
}

function refused(tip: CommitId, why: string, place = ""): TilthError {
  const said = why.trim().split("\n").at(0) ?? "";
  return new TilthError(
    "usage",
    `the source's commit ${tip.slice(0, 12)} cannot be taken in: ${said}${place}`,
    "git fsck --strict in the source shows what is wrong with it",
  );
}
