import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { HostPath } from "../../runner/base/ids.js";
import type { GitRepo } from "../helpers/git-repo.js";
import { planted } from "../helpers/numbered-seed.js";
import { workToTheEnd } from "../helpers/plug.js";
import type { TaskKind } from "../helpers/stateless-model.js";

const kinds: readonly TaskKind[] = ["accepted", "mended", "accepted"];

/** Runs a session from its seed to its end, on hands of the host; gives the number of tasks that became commits. */
export async function wholeSession(repo: GitRepo): Promise<number> {
  const folder = mkdtempSync(join(repo.root, "hands-")) as HostPath;
  const { source, files } = await planted(repo, { tasks: kinds.length, folder });
  const { stop, cause } = await workToTheEnd({ source, folder, files, kinds });
  if (stop.reason !== "all_done") throw cause ?? new Error(`it ended with ${stop.reason}: ${stop.detail}`);
  return kinds.length;
}
