import type { TreeFiles } from "./environment/dependency-files.js";
import type { Clerk, TreeEntry } from "./hands/clerk-port.js";
import type { TreeId } from "./support/ids.js";
import { lazily } from "./support/lazily.js";

interface ClerkParts {
  readonly clerk: Pick<Clerk, "list" | "blob">;
  /** settles when it holds the tree */
  readonly repository: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

/** The regular files of a tree that the host has no objects of. */
export class ClerkFiles implements TreeFiles {
  readonly #entries: () => Promise<ReadonlyMap<string, TreeEntry>>;

  constructor(
    private readonly parts: ClerkParts,
    private readonly tree: TreeId,
  ) {
    this.#entries = lazily(async () => {
      await parts.repository();
      const entries = await parts.clerk.list(tree, parts.signal);
      return new Map(entries.filter(({ mode }) => mode.startsWith("100")).map((entry) => [entry.path, entry]));
    });
  }

  async paths(): Promise<readonly string[]> {
    return [...(await this.#entries()).keys()];
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array | null> {
    const entry = (await this.#entries()).get(path);
    if (entry === undefined || entry.size > maxBytes) return null;
    return await this.parts.clerk.blob(this.tree, path, maxBytes, this.parts.signal);
  }
}

/** The files of `now`, but for some paths, which are as they were `before`. */
export function withUnchanged(now: TreeFiles, before: TreeFiles, paths: readonly string[]): TreeFiles {
  const kept = new Set(paths);
  return {
    paths: async () => {
      const old = (await before.paths()).filter((path) => kept.has(path));
      return [...(await now.paths()).filter((path) => !kept.has(path)), ...old];
    },
    read: (path, maxBytes) => (kept.has(path) ? before : now).read(path, maxBytes),
  };
}
