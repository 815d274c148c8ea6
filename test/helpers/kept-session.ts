import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach } from "vitest";
import { repoVolumeOf } from "../../runner/hands/docker/container/labels.js";
import { CliStage } from "./cli-stage.js";

/** Copies the source, the home and the session's volume, and returns a function that puts them back. */
export async function keep(stage: CliStage, id: string): Promise<() => Promise<void>> {
  const { docker } = stage.engine;
  const { Name, Labels } = await docker.getVolume(repoVolumeOf(id)).inspect();
  const volumes = await stage.volumes();
  const kept = join(stage.tilth.root, "kept");
  const folders = [stage.source, stage.tilth.home];
  // copied with cp, which keeps the owners of files
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

/** A session that the tests of a file share: staged once, and put back before each of them. */
export async function sharedSession() {
  const stage = await CliStage.open();
  afterAll(() => stage[Symbol.asyncDispose]());
  const id = await stage.prepared();
  const putBack = await keep(stage, id);
  beforeEach(putBack);
  return { stage, id, putBack };
}
