import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSettings } from "../cli/settings/settings.js";
import { asSessionId } from "../runner/base/ids.js";
import { Engine } from "../runner/hands/docker/engine/engine.js";
import { listVolumes, removeVolume } from "../runner/hands/docker/environment-volume.js";
import { removeSessionContainers, removeSessionVolume } from "../runner/hands/docker/reap.js";
import { realImage } from "../test/helpers/image.js";
import type { Bench } from "./line.js";

/** Opens a bench. Everything it makes on this machine lies in one folder, or on the engine under that folder's home. */
export async function openBench(quick: boolean, signal: AbortSignal): Promise<Bench & AsyncDisposable> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tilth-bench-")));
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  const given = loadSettings();
  const settings = { ...given, home, caps: { ...given.caps, maxIterationsPerTask: 10_000, maxTokens: 1e12 } };
  const engine = await Engine.connect(settings, signal);
  return {
    folder,
    settings,
    engine,
    image: await realImage(engine),
    signal,
    times: (full) => (quick ? Math.max(3, Math.ceil(full / 8)) : full),
    [Symbol.asyncDispose]: async () => {
      await clearEngine(engine, home);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Removes leftover volumes: a session that did not come to its end keeps its own, and so does an environment. */
async function clearEngine(engine: Engine, home: string): Promise<void> {
  const { signal } = new AbortController();
  const sessions = join(home, "sessions");
  for (const session of existsSync(sessions) ? readdirSync(sessions).flatMap((name) => asSessionId(name) ?? []) : []) {
    await removeSessionContainers(engine, { session, home }, signal);
    await removeSessionVolume(engine, { session, home }, signal);
  }
  const environments = { engine, home, signal };
  for (const { name } of await listVolumes(environments)) await removeVolume(environments, name);
}
