import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "../../../runner/base/ids.js";
import { containerIdentity } from "../../../runner/hands/ports/identity.js";

/** The folders of a home in which these hands keep what is theirs. */
export interface Places {
  readonly home: string;
  readonly sandboxes: string;
  readonly repositories: string;
  readonly environments: string;
}

export function placesIn(home: string): Places {
  const below = (name: string) => join(home, "host-hands", name);
  return {
    home,
    sandboxes: below("sandboxes"),
    repositories: below("repositories"),
    environments: below("environments"),
  };
}

export function repositoryOf({ repositories }: Places, session: SessionId): string {
  return join(repositories, session);
}

/** Makes a folder that the programs of a sandbox may write. */
export function openFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  const { uid, gid } = containerIdentity();
  if (process.getuid?.() === 0) chownSync(path, uid, gid);
  chmodSync(path, 0o755);
  return path;
}
