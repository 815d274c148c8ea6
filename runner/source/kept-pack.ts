import { rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { SessionId } from "../base/ids.js";
import { readRegular } from "../disk/read-regular.js";
import type { Places } from "./repository.js";
import { namesIn } from "./worktree-admin.js";

export const keptSuffix = ".keep";

/**
 * A pack beside which git finds a `.keep`: its objects are reachable from no ref yet, and a repack would drop them between
 * their arrival and the move of the branch.
 */
export class KeptPack {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /** `index`: of a pack that git does not see yet. */
  static keep(index: string, session: SessionId): KeptPack {
    const file = index.replace(/\.idx$/, keptSuffix);
    writeFileSync(file, noteOf(session));
    return new KeptPack(file);
  }

  /** The same after it was moved to `folder`. */
  in(folder: string): KeptPack {
    return new KeptPack(join(folder, basename(this.#file)));
  }

  release(): void {
    rmSync(this.#file, { force: true });
  }
}

/** Removes what a process left that died between the two; only for the holder of the session's lock. */
export function releaseKept({ commonDir }: Places, session: SessionId): void {
  const folder = join(commonDir, "objects", "pack");
  for (const name of namesIn(folder)) {
    if (!name.endsWith(keptSuffix)) continue;
    const file = readRegular(join(folder, name), 4096);
    if (file.ok && file.content.toString("utf8") === noteOf(session)) rmSync(join(folder, name), { force: true });
  }
}

function noteOf(session: SessionId): string {
  return `tilth session ${session}\n`;
}
