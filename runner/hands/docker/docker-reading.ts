import type { Settings } from "../../settings/settings.js";
import type { SessionOfReading, SourceReading } from "../ports/provider.js";
import { SandboxedReading } from "../roles/read/reading.js";
import type { Engine } from "./engine/engine.js";
import type { DockerImage } from "./image/image-find.js";
import { isolationOf, RoleStarts, specContext } from "./role-starts.js";

export interface ReadingOptions extends SessionOfReading {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly image: DockerImage;
}

/** Opens a source for reading in a container on a Docker engine. */
export function openReading(options: ReadingOptions): SourceReading {
  const made = { context: specContext(options), isolation: isolationOf(options) };
  return new SandboxedReading(options, new RoleStarts(options.engine, made, Promise.resolve(options.cleared)));
}
