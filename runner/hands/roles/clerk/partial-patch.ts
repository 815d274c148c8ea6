import { Interrupted, TilthError } from "../../../base/errors.js";
import type { TreeId } from "../../../base/ids.js";
import { HandsLost } from "../../ports/hands.js";
import { diffTrees } from "./diff.js";
import type { ClerkShell } from "./shell/clerk-shell.js";
import type { Snapshots } from "./snapshot.js";
import { shown } from "./worktree/worktree-walk.js";

export interface PatchRequest {
  readonly last: TreeId;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Returns whatever can still be read of unfinished work; its first lines say what could not be read. */
export async function partialPatch(
  shell: ClerkShell,
  snapshots: Snapshots,
  request: PatchRequest,
): Promise<Uint8Array> {
  const { last, maxBytes, signal } = request;
  try {
    const { tree, problems } = await snapshots.takePart(last, signal);
    const { text } = await diffTrees(shell, { from: last, to: tree, maxBytes, signal });
    const missing = problems.map(({ path, why }) => remark(`left out: ${path === "" ? "." : shown(path)} ${why}`));
    return Buffer.from(missing.join("") + text);
  } catch (error) {
    if (error instanceof Interrupted || !(error instanceof TilthError || error instanceof HandsLost)) throw error;
    return Buffer.from(remark(`the worktree could not be read: ${error.message}`));
  }
}

function remark(text: string): string {
  return `# ${text.replace(/\p{Cc}/gu, "?")}\n`;
}
