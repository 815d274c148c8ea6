import type { Payload, TaskSpan } from "../session/log/events.js";
import type { Blobs } from "./dependency-files.js";
import { type EnvironmentChoice, sha256 } from "./environment-key.js";
import type { EnvironmentRecord } from "./environment-store.js";

export interface RecordedEnvironment {
  readonly choice: EnvironmentChoice;
  /** null: the session's base */
  readonly tree: string | null;
  readonly files: Blobs;
  /** null: the dependency files ask for none */
  readonly standing: EnvironmentRecord | null;
  /** the build's remarks if it made no environment */
  readonly said?: readonly string[];
  readonly span?: TaskSpan | undefined;
  readonly built?: boolean;
  readonly ms?: number;
}

/** Builds the event that records an environment. */
export function environmentEvent(had: RecordedEnvironment): Payload<"environment"> {
  const { choice, tree, files, standing, said = standing?.said ?? [], span, built = false, ms = 0 } = had;
  const { dependencies, fromSource, version } = choice;
  return {
    ...span,
    key: standing?.key ?? null,
    files: [...files],
    tree,
    dependencies: dependencies === "none" || dependencies === null ? dependencies : [...dependencies],
    from_source: [...fromSource],
    version,
    taken: standing?.taken ?? [],
    packages: standing?.packages.length ?? 0,
    python: standing?.python ?? "",
    pytest: standing?.pytest ?? "",
    lock: standing ? sha256(standing.lock) : null,
    built,
    said: [...said],
    ms,
  };
}
