import type { Duplex } from "node:stream";

/** A project's environment, as its provider keeps it; its users can only read it. */
export interface BuiltEnvironment {
  /** says nothing outside of the provider, but to a person who looks for it there */
  readonly id: string;
  /** digest of the list of all its files with their hashes */
  readonly digest: string;
}

/** The ingredients of an environment. */
export interface EnvironmentSpec {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** the exact list of dependency files; null finds them by their names */
  readonly named: readonly string[] | null;
  readonly fromSource: readonly string[];
  /** for a project that takes its version from a tag */
  readonly version: string | null;
  /** the versions to install exactly; null resolves them now */
  readonly lock: string | null;
  /** the lock before a change: its versions are kept where nothing speaks against them */
  readonly prefer: string | null;
}

export interface EnvironmentFacts {
  /** name, version and hashes of everything in it */
  readonly lock: string;
  readonly packages: readonly (readonly [name: string, version: string])[];
  /** the requirements that were taken from the dependency files */
  readonly taken: readonly string[];
  /** sentences for a person */
  readonly said: readonly string[];
  readonly python: string;
  readonly pytest: string;
}

export type EnvironmentAnswer =
  | { readonly kind: "built"; readonly environment: BuiltEnvironment; readonly facts: EnvironmentFacts }
  /** the files ask for no environment */
  | { readonly kind: "none"; readonly said: readonly string[] }
  /** `refused` by a rule of ours, `unresolved` by the resolver, or `failed` for a reason outside the files */
  | EnvironmentRefusal;

export interface EnvironmentRefusal {
  readonly kind: "refused" | "unresolved" | "failed";
  readonly problem: string;
  readonly remedy: string;
}

/** The package index as the container reaches it. */
export interface IndexAccess {
  accept(connection: Duplex): void;
  /** the paths of its indexes on that one host, the main one first */
  readonly paths: readonly string[];
}
