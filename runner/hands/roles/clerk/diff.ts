import type { TreeId } from "../../../base/ids.js";
import type { Diff } from "../../ports/clerk.js";
import { containerPaths } from "../../ports/container-paths.js";
import type { ClerkShell } from "./shell/clerk-shell.js";
import { parseLineCounts } from "./shell/git-output.js";

export interface DiffRequest {
  readonly from: TreeId;
  readonly to: TreeId;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const mostNamed = 10;

/**
 * The repository's attributes let only the content decide what is binary. Run in the repository's folder, git opens no
 * file of the worktree.
 */
const asPatch = [
  "-C",
  containerPaths.repo,
  "diff-tree",
  "-r",
  "-p",
  "--full-index",
  "--no-renames",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
];

export async function diffTrees(shell: ClerkShell, { from, to, maxBytes, signal }: DiffRequest): Promise<Diff> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  const onData = (chunk: Uint8Array): void => {
    if (bytes < maxBytes) kept.push(chunk.subarray(0, maxBytes - bytes));
    bytes += chunk.length;
  };
  await shell.git([...asPatch, from, to], { signal, onData });
  const truncated = bytes > maxBytes;
  const whole = Buffer.concat(kept);
  const text = (truncated ? uptoLastLine(whole) : whole).toString("utf8");
  const named = await nameBinaries(shell, text, signal);
  const mark = `[the diff goes on: ${maxBytes} of its ${bytes} bytes are shown]\n`;
  if (!truncated) return { text: named, bytes, truncated, largest: [] };
  return { text: named + mark, bytes, truncated, largest: await largestOf(shell, { from, to, signal }) };
}

async function largestOf(shell: ClerkShell, { from, to, signal }: Omit<DiffRequest, "maxBytes">) {
  const told = await shell.git(
    ["-C", containerPaths.repo, "diff-tree", "-r", "--numstat", "-z", "--no-renames", from, to],
    { signal },
  );
  return parseLineCounts(told)
    .sort((a, b) => (b.lines ?? 0) - (a.lines ?? 0))
    .slice(0, mostNamed);
}

function uptoLastLine(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(10);
  return end < 0 ? Buffer.alloc(0) : bytes.subarray(0, end + 1);
}

/** Lines of content start with a blank, + or -, so these are git's own. */
const binaryLine = /^index ([0-9a-f]{40})\.\.([0-9a-f]{40})(.*)\nBinary files .* differ$/gm;

async function nameBinaries(shell: ClerkShell, text: string, signal: AbortSignal): Promise<string> {
  const binaries = [...text.matchAll(binaryLine)];
  if (binaries.length === 0) return text;
  const oids = binaries.flatMap(([, before = "", after = ""]) => [before, after]);
  const stdin = Buffer.from(oids.map((oid) => `${oid}\n`).join(""));
  const told = await shell.git(["cat-file", "--batch-check=%(objectname) %(objectsize)"], { signal, stdin });
  const lines = told
    .toString("latin1")
    .split("\n")
    .map((line) => line.split(" "));
  const sizes = new Map(lines.map(([oid = "", size = ""]) => [oid, size]));
  const blob = (oid: string) => (/^0+$/.test(oid) ? "nothing" : `${sizes.get(oid)} bytes (blob ${oid})`);
  return text.replace(
    binaryLine,
    (_, before: string, after: string) => `Binary file: ${blob(before)} became ${blob(after)}`,
  );
}
