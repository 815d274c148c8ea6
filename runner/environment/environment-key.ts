import { createHash } from "node:crypto";
import type { DependencyFiles } from "./dependency-files.js";

/** What a person chose for a session's environment. */
export interface EnvironmentChoice {
  /** exactly these are the dependency files, or there is to be no environment; null: by their names */
  readonly dependencies: readonly string[] | "none" | null;
  readonly fromSource: readonly string[];
  /** of the tag nearest to the base */
  readonly version: string | null;
}

/** The files that were named; null: by their names. */
export function namedIn({ dependencies }: EnvironmentChoice): readonly string[] | null {
  return dependencies === "none" ? [] : dependencies;
}

/** Of the image: what is installed is for its Python. */
export interface ImageParts {
  readonly recipe: string;
  readonly platform: string;
}

export interface KeyParts extends Pick<DependencyFiles, "files">, ImageParts {
  readonly choice: EnvironmentChoice;
  /** addresses of the package indexes in their order, without users and passwords */
  readonly indexes: readonly string[];
  /** the lock whose versions are kept where nothing speaks against them */
  readonly prefer: string | null;
  /** the image's own id: what is built from source is built against whatever stands in it */
  readonly image: string;
}

/** The same only where everything is the same that decides over what is in an environment. */
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

/** One made on an image from a lock is another one than what a resolver makes of the same files, until it has made it. */
export function recordId(key: string, { recipe, platform }: ImageParts, lock: string | null): string {
  return sha256(JSON.stringify([key, recipe, platform, lock]));
}

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
