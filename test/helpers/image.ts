import { loadSettings } from "../../cli/settings/settings.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import { buildImage } from "../../runner/hands/docker/image/image-build.js";
import { type DockerImage, findImage } from "../../runner/hands/docker/image/image-find.js";

/** Gives the real image, built if there is none yet: the only way for a test to get one. */
export async function realImage(engine?: Engine): Promise<DockerImage> {
  const { signal } = new AbortController();
  const settings = loadSettings();
  const connected = engine ?? (await Engine.connect(settings, signal));
  const found = await findImage(connected, settings, signal);
  if (found) return found;
  return await buildImage({ engine: connected, settings, signal, say: (line) => process.stderr.write(`${line}\n`) });
}
