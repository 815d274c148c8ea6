import { TilthError } from "../../base/errors.js";
import type { HandsImage } from "../../hands/ports/hands.js";
import { lossAsInfra } from "../opening/session-hands.js";
import type { Removal } from "./removal.js";
import { removeFromHost } from "./remove-session.js";

/**
 * Removes the session: its containers first, then what the worker left, the repository of its hands, the worktree, the
 * branch, the folder. If this is cut short, it can be run again. The caller must hold the session's lock.
 */
export async function discardSession(removal: Removal, signal: AbortSignal): Promise<void> {
  const { provider, files, store, from, branch, image } = removal;
  await provider.clearSession(files.id, signal);
  if (image !== null) await emptied(removal, image, signal);
  await provider.forgetSession(files.id, signal);
  const source = from.kind === "found" ? from.source : null;
  try {
    await removeFromHost({ source, store, files }, branch?.tip ?? null, signal);
  } catch (error) {
    throw finishByReset(removal, error, "branch_moved");
  }
}

async function emptied(removal: Removal, image: HandsImage, signal: AbortSignal): Promise<void> {
  const { provider, files } = removal;
  const { worktree } = files.paths;
  await using hands = provider.open({ session: files.id, worktree, image, signal });
  try {
    await hands.clerk.empty(signal);
  } catch (error) {
    throw finishByReset(removal, lossAsInfra(error), "infra");
  }
}

/** By now half of the session is gone, so only a reset can finish this, not a resume. */
function finishByReset({ files }: Removal, error: unknown, code: TilthError["code"]): unknown {
  if (!(error instanceof TilthError) || error.code !== code) return error;
  return new TilthError(code, error.message, `see what is there, then tilth reset ${files.id}`, error);
}
