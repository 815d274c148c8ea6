// Builds the hands image when the engine has none of this recipe yet. Needs `npm run build` before it.
import { loadSettings } from "../dist/cli/settings/settings.js";
import { TilthError } from "../dist/runner/base/errors.js";
import { Engine } from "../dist/runner/hands/docker/engine/engine.js";
import { buildImage } from "../dist/runner/hands/docker/image/image-build.js";
import { findImage } from "../dist/runner/hands/docker/image/image-find.js";
import { say } from "./set-up/say.js";

const { signal } = new AbortController();
try {
  const settings = loadSettings();
  const engine = await Engine.connect(settings, signal);
  if (!(await findImage(engine, settings, signal))) await buildImage({ engine, settings, say, signal });
} catch (error) {
  if (!(error instanceof TilthError)) throw error;
  process.stderr.write(`set-up: ${error.message}\n  → ${error.hint}\n`);
  process.exitCode = 2;
}
