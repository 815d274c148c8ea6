/** A project's environment that stands on the engine: read-only for whoever uses it. */
export interface BuiltEnvironment {
  readonly volume: string;
  /** of the list of all its files with their hashes */
  readonly digest: string;
}

/** What an environment is made from. */
export interface EnvironmentSpec {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** exactly these are the dependency files; null: by their names */
  readonly named: readonly string[] | null;
  readonly fromSource: readonly string[];
  /** of a project that takes its version from a tag */
  readonly version: string | null;
  /** installed exactly; null: resolved now */
  readonly lock: string | null;
  /** the lock before a change: its versions are kept where nothing speaks against them */
  readonly prefer: string | null;
}

export interface EnvironmentFacts {
  /** name, version and hashes of everything in it */
  readonly lock: string;
  readonly packages: readonly (readonly [name: string, version: string])[];
  /** what of the dependency files was taken */
  readonly taken: readonly string[];
  /** what a person should know of it, a sentence each */
  readonly said: readonly string[];
  readonly python: string;
  readonly pytest: string;
}

export type EnvironmentAnswer =
  | { readonly kind: "built"; readonly environment: BuiltEnvironment; readonly facts: EnvironmentFacts }
  /** the files ask for none */
  | { readonly kind: "none"; readonly said: readonly string[] }
  /** `refused` by a rule of ours, `unresolved` by the resolver, or `failed` for a reason outside the files */
  | EnvironmentRefusal;

export interface EnvironmentRefusal {
  readonly kind: "refused" | "unresolved" | "failed";
  readonly problem: string;
  readonly remedy: string;
}
