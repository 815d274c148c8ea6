import { TilthError } from "../../../../base/errors.js";
import type { TreeId } from "../../../../base/ids.js";
import { ResidentRefusal } from "../../../pipe/channel-errors.js";
import { perform } from "../../../pipe/perform.js";
import { operations } from "../../../pipe/wire/operations.js";
import type { WarmCheck } from "./pool.js";

const freshMs = 120_000;

/** Puts a tree into /workspace, with nothing left of earlier runs. */
export async function fresh({ container }: WarmCheck, tree: TreeId, signal: AbortSignal): Promise<void> {
  try {
    await perform(container, operations.fresh, { tree }, { signal, timeoutMs: freshMs });
  } catch (error) {
    if (!(error instanceof ResidentRefusal)) throw error;
    throw new TilthError(
      "infra",
      `tree ${tree} cannot be put into a check container: ${error.message}`,
      "raise TILTH_SANDBOX_MEMORY, or keep large files out of the repository",
      error,
    );
  }
}
