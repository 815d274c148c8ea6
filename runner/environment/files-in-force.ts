import { createHash } from "node:crypto";
import { lazily } from "../base/lazily.js";
import type { Blobs, DependencyFiles, TreeFiles } from "./dependency-files.js";

/** Returns git's id for a file with these bytes. */
function blobId(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

export function blobsOf({ files }: Pick<DependencyFiles, "files">): Blobs {
  return new Map([...files].map(([path, bytes]) => [path, blobId(bytes)]));
}

/** The dependency files from which the environment in force was made; read only when their bytes are needed. */
export class FilesInForce implements TreeFiles {
  readonly whole: () => Promise<DependencyFiles>;
  readonly blobs: () => Promise<Blobs>;

  /** `blobs` are the ids on record; null computes them from the files. */
  constructor(files: () => Promise<DependencyFiles>, blobs: Blobs | null) {
    this.whole = lazily(files);
    this.blobs = lazily(async () => blobs ?? blobsOf(await this.whole()));
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array | null> {
    const bytes = (await this.whole()).files.get(path);
    return bytes === undefined || bytes.length > maxBytes ? null : bytes;
  }
}

/** Returns the files of `now`, except that held paths stay as they are `inForce`: changes of those have no effect. */
export function withHeld(now: TreeFiles, inForce: TreeFiles, isHeld: (path: string) => boolean): TreeFiles {
  const partOf = async (files: TreeFiles, held: boolean) =>
    [...(await files.blobs())].filter(([path]) => isHeld(path) === held);
  return {
    blobs: async () => new Map([...(await partOf(now, false)), ...(await partOf(inForce, true))]),
    read: (path, maxBytes) => (isHeld(path) ? inForce : now).read(path, maxBytes),
  };
}

/** Lists the paths whose files are not the same in both. */
export function differing(some: Blobs, others: Blobs): readonly string[] {
  const paths = new Set([...some.keys(), ...others.keys()]);
  return [...paths].filter((path) => some.get(path) !== others.get(path)).sort();
}
