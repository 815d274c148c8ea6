import { rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { SessionId } from "../../base/ids.js";
import { readRegular } from "../../disk/read-regular.js";
import type { Places } from "../git/repository.js";
import { namesIn } from "./worktree-admin.js";

export const keptSuffix = ".keep";

/**
 * A pack with a `.keep` file beside it: no ref reaches its objects yet, and a repack would drop them between their
 * arrival and the move of the branch.
 */
export class KeptPack {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /** `index` belongs to a pack that git does not see yet. */
  static keep(index: string, session: SessionId): KeptPack {
    const file = index.replace(/\.idx$/, keptSuffix);
    writeFileSync(file, noteOf(session));
    return new KeptPack(file);
  }

  /** Returns the same pack after it was moved to `folder`. */
  in(folder: string): KeptPack {
    return new KeptPack(join(folder, basename(this.#file)));
  }

  release(): void {
    rmSync(this.#file, { force: true });
  }
}

/** Removes `.keep` files of a process that died before the branch moved; only for the session's lock holder. */
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
