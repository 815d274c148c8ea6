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

export interface KeyParts extends DependencyFiles, ImageParts {
  readonly choice: EnvironmentChoice;
}

/** The same for everything that makes the same environment. */
export function environmentKey({ files, paths, choice, recipe, platform }: KeyParts): string {
  const { dependencies, fromSource, version } = choice;
  const hasSource = paths.some((path) => path.startsWith("src/"));
  const contents = [...files].map(([path, bytes]) => [path, sha256(bytes)]).sort();
  return sha256(JSON.stringify([1, recipe, platform, dependencies, fromSource, version, hasSource, contents]));
}

/** One made on an image from a lock is another one than what a resolver makes of the same files, until it has made it. */
export function recordId(key: string, { recipe, platform }: ImageParts, lock: string | null): string {
  return sha256(JSON.stringify([key, recipe, platform, lock]));
}

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
