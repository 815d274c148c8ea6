import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../base/clock.js";
import { TilthError } from "../../../base/errors.js";
import { hostPath } from "../../../base/ids.js";
import { diskTrouble } from "../../../disk/disk-trouble.js";
import { ensureEnvironment } from "../../../environment/ensure-environment.js";
import type { HandsImage } from "../../../hands/ports/hands.js";
import { worktreeGroup } from "../../../hands/ports/identity.js";
import type { HandsProvider } from "../../../hands/ports/provider.js";
import { usualOrigin } from "../../../hands/provider.js";
import { newSessionId } from "../../../session/session-folders.js";
import type { Settings } from "../../../settings/settings.js";
import type { OpenRecheckHands, RecheckHands } from "./recheck-hands.js";

/** Opens hands, each with its own session id, repository and empty worktree. */
export function recheckHandsOn(settings: Settings): OpenRecheckHands {
  return async (recorded, { say, signal }) => {
    const provider = await usualOrigin.connect(settings, signal);
    const { image, otherImage } = await imageFor(recorded, provider, signal);
    const folder = makeFolder(settings.home);
    const session = newSessionId(systemClock.now());
    const cleared = provider.clearDead(signal);
    const hands = provider.open({ session, image, worktree: folder.worktree, cleared, signal });
    const basis = {
      kept: provider.environments,
      image,
      settings,
      session,
      log: { append: () => undefined },
      say,
      signal,
    };
    return {
      hands,
      otherImage,
      async useEnvironment(wanted) {
        const ensured = wanted && (await ensureEnvironment(basis, wanted));
        if (ensured && ensured.kind !== "known") throw new TilthError("usage", ensured.problem, ensured.remedy);
        hands.useEnvironment(ensured?.record.built ?? null);
      },
      async [Symbol.asyncDispose]() {
        await hands.discard();
        rmSync(folder.path, { recursive: true, force: true });
      },
    } satisfies RecheckHands;
  };
}

async function imageFor(
  recorded: string,
  provider: HandsProvider,
  signal: AbortSignal,
): Promise<{ readonly image: HandsImage; readonly otherImage: string | null }> {
  const same = await provider.imageById(recorded, signal);
  if (same !== null) return { image: same, otherImage: null };
  const instead = await provider.image(signal);
  if (instead === null)
    throw new TilthError(
      "usage",
      `neither the recorded image ${recorded} nor another hands image is there`,
      "tilth image build",
    );
  const otherImage = `the recorded image ${recorded} is not there, or was made by another version of tilth; the checks ran on ${instead.id} instead, the image of the current recipe (${instead.tools.join(", ")})`;
  return { image: instead, otherImage };
}

/** Makes the folder in the home, where it can be mounted just as worktrees are. */
function makeFolder(home: string) {
  try {
    const path = mkdtempSync(join(home, ".verify-"));
    const worktree = hostPath(join(path, "workspace"));
    mkdirSync(worktree);
    // the constant `.git` file is mounted over this one; where none is, one might be made as root
    writeFileSync(join(worktree, ".git"), "");
    const group = worktreeGroup();
    if (group !== null) {
      chownSync(worktree, 0, group);
      chmodSync(worktree, 0o775);
    }
    return { path, worktree };
  } catch (error) {
    throw diskTrouble("make a folder in", home, error);
  }
}
