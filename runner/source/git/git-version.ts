import { TilthError } from "../../base/errors.js";
import type { HostGit } from "./host-git.js";

/** The first version with `cat-file --batch-command`, and the first in which `core.fsync` covers refs. */
const oldest = [2, 36] as const;

export async function refuseOldGit(git: HostGit, signal: AbortSignal): Promise<void> {
  const { stdout } = await git.run(["version"], { gitDir: null, doing: "tell its version", signal });
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(stdout.toString("latin1")) ?? [];
  if (Number(major) > oldest[0] || (Number(major) === oldest[0] && Number(minor) >= oldest[1])) return;
  const found = stdout.toString("utf8").trim();
  throw new TilthError("usage", `'${git.binary}' is ${found}, too old`, `install git ${oldest.join(".")} or newer`);
}
