import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { repoVolumeOf } from "../../runner/hands/labels.js";
import type { CliStage } from "./cli-stage.js";

/** Takes a copy of the source, the home and the session's volume; what it gives puts them back. */
export async function keep(stage: CliStage, id: string): Promise<() => Promise<void>> {
  const { docker } = stage.engine;
  const { Name, Labels } = await docker.getVolume(repoVolumeOf(id)).inspect();
  const volumes = await stage.volumes();
  const kept = join(stage.tilth.root, "kept");
  const folders = [stage.source, stage.tilth.home];
  // by cp, for it keeps whose files they are
  const copy = (from: string, to: string) => execFileSync("cp", ["-a", from, to]);
  mkdirSync(kept);
  for (const [at, folder] of folders.entries()) copy(folder, join(kept, String(at)));
  return async () => {
    await stage.clearEngine(volumes);
    for (const [at, folder] of folders.entries()) {
      rmSync(folder, { recursive: true, force: true });
      copy(join(kept, String(at)), folder);
    }
    await docker.createVolume({ Name, Labels });
  };
}
