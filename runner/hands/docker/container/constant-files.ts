import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostPath } from "../../../base/ids.js";
import { diskTrouble } from "../../../disk/disk-trouble.js";
import { containerPaths } from "../../ports/container-paths.js";
import type { Identity } from "../../ports/identity.js";
import { seccompProfile } from "./seccomp.js";

/** Files that are the same for every session of a user, bound read-only into containers. */
export interface ConstantFiles {
  readonly gitfile: HostPath;
  readonly passwd: HostPath;
  readonly group: HostPath;
  /** for an engine that reads the profile from a file instead of the request */
  readonly seccomp: HostPath;
  /** an empty folder that covers a `.git` that must not be seen */
  readonly nothing: HostPath;
}

export function constantFiles(home: string, { uid, gid }: Identity): ConstantFiles {
  const folder = join(home, "constant");
  const keep = (name: string, content: string) => keepFile(join(folder, `${name}-${uid}-${gid}`), content);
  const user = `tilth:x:${uid}:${gid}:tilth:${containerPaths.home}:/bin/bash\n`;
  const nothing = join(folder, "nothing") as HostPath;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    mkdirSync(nothing, { recursive: true, mode: 0o755 });
    return {
      gitfile: keep("gitfile", `gitdir: ${containerPaths.scratchGit}\n`),
      passwd: keep("passwd", `root:x:0:0:root:/root:/usr/sbin/nologin\n${user}`),
      group: keep("group", `root:x:0:\ntilth:x:${gid}:\n`),
      seccomp: keep("seccomp", seccompProfile),
      nothing,
    };
  } catch (error) {
    throw diskTrouble("write", folder, error);
  }
}

/** Writes only when the content differs, so that a mounted file keeps its inode. */
function keepFile(path: string, content: string): HostPath {
  if (contentOf(path) !== content) {
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, content, { mode: 0o644 });
    chmodSync(temporary, 0o644); // also under a strict umask
    renameSync(temporary, path);
  }
  return path as HostPath;
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
