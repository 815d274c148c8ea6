import { expect } from "vitest";
import type { TreeId } from "../../../runner/base/ids.js";
import type { Snapshot } from "../../../runner/hands/ports/clerk.js";
import type { PreparedHands } from "./hands-contract.js";

const { signal } = new AbortController();

export const text = (bytes: Uint8Array | null) => Buffer.from(bytes ?? []).toString("utf8");

export async function write({ hands }: PreparedHands, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files))
    expect(await hands.work.writeFile({ path, content: Buffer.from(content), lint: null }, signal)).toMatchObject({
      ok: true,
      path,
    });
}

/** Gives the output of a command that must succeed. */
export async function bash({ hands }: PreparedHands, command: string): Promise<string> {
  const result = await hands.work.bash(command, 20_000, signal);
  expect(result.exit, text(result.head) + text(result.tail)).toBe(0);
  return text(result.head) + text(result.tail);
}

export async function snapshot(
  { hands, baseTree }: PreparedHands,
  last: TreeId = baseTree,
): Promise<Extract<Snapshot, { ok: true }>> {
  const made = await hands.clerk.snapshot(last, signal);
  if (!made.ok) throw new Error(JSON.stringify(made.problems));
  return made;
}

/** Gives a tree of the base's files and these. */
export function treeWith({ hands, baseTree }: PreparedHands, files: Readonly<Record<string, string>>): Promise<TreeId> {
  const contents = Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content) }));
  return hands.clerk.treeWith(baseTree, contents, signal);
}
