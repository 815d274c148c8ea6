import { createHash } from "node:crypto";
import type { DependencyFiles } from "./dependency-files.js";

/** A person's choices for a session's environment. */
export interface EnvironmentChoice {
  /** the exact list of dependency files, or "none" for no environment; null finds them by their names */
  readonly dependencies: readonly string[] | "none" | null;
  readonly fromSource: readonly string[];
  /** from the tag nearest to the base */
  readonly version: string | null;
}

/** Returns the files that were named, or null when they are found by their names. */
export function namedIn({ dependencies }: EnvironmentChoice): readonly string[] | null {
  return dependencies === "none" ? [] : dependencies;
}

/** Parts of the image that count, because packages are installed for its Python. */
export interface ImageParts {
  readonly recipe: string;
  readonly platform: string;
}

export interface KeyParts extends Pick<DependencyFiles, "files">, ImageParts {
  readonly choice: EnvironmentChoice;
  /** addresses of the package indexes in their order, without users and passwords */
  readonly indexes: readonly string[];
  /** the lock that gives preferred versions */
  readonly prefer: string | null;
  /** the image's own id, since packages built from source are built against whatever stands in the image */
  readonly image: string;
}

/** Two keys are equal only where everything that decides an environment's content is equal. */
export function environmentKey({ files, choice, ...around }: KeyParts): string {
  const { recipe, platform, indexes, prefer, image } = around;
  const { dependencies, fromSource, version } = choice;
  const contents = [...files].map(([path, bytes]) => [path, sha256(bytes)]).sort();
  const preferred = prefer === null ? null : sha256(prefer);
  const builtOn = fromSource.length > 0 ? image : null;
  return sha256(
    JSON.stringify([2, recipe, platform, dependencies, fromSource, version, contents, indexes, preferred, builtOn]),
  );
}

/** Names a record: one made from a lock is another than what a resolver makes of the same files (`lock` null). */
export function recordId(key: string, { recipe, platform }: ImageParts, lock: string | null): string {
  return sha256(JSON.stringify([key, recipe, platform, lock]));
}

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
