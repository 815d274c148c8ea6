import { TilthError } from "../base/errors.js";
import type { TreeId } from "../base/ids.js";
import { lazily } from "../base/lazily.js";
import type { Clerk, TreeEntry } from "../hands/ports/clerk.js";
import { type Blobs, type DependencyFiles, mostBytes, type TreeFiles } from "./dependency-files.js";

export interface ClerkParts {
  readonly clerk: Pick<Clerk, "list" | "blob" | "content">;
  /** settles once the clerk has the tree */
  readonly repository: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

/** The regular files of a tree whose objects only the clerk has. */
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

  async blobs(): Promise<Blobs> {
    return new Map([...(await this.#entries())].map(([path, { oid }]) => [path, oid]));
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array | null> {
    const entry = (await this.#entries()).get(path);
    if (entry === undefined || entry.size > maxBytes) return null;
    return await this.parts.clerk.blob(this.tree, path, maxBytes, this.parts.signal);
  }
}

/** Loads the dependency files recorded by their blobs. TilthError `usage` if one of the blobs is gone. */
export async function recordedFiles(blobs: Blobs, { clerk, repository, signal }: ClerkParts): Promise<DependencyFiles> {
  await repository();
  const files = new Map<string, Uint8Array>();
  for (const [path, blob] of blobs) {
    const bytes = await clerk.content(blob, mostBytes, signal);
    if (bytes === null) throw goneBlob(path, blob);
    files.set(path, bytes);
  }
  return { files, declares: files.size > 0 };
}

function goneBlob(path: string, blob: string): TilthError {
  return new TilthError(
    "usage",
    `${path} as the session's environment was made from it (blob ${blob}) is not in its commits`,
    "bring the session's branch back as it was, then try again",
  );
}
