import { TilthError } from "./errors.js";
import { Engine } from "./hands/engine.js";
import { type DockerImage, findImage } from "./hands/image-find.js";
import type { Settings } from "./settings.js";
import { HostGit } from "./source/host-git.js";
import { preflightSource, type Source } from "./source/preflight.js";
import { hostPath } from "./support/ids.js";

/** What a session stands on: an engine, the image on it, and a source that was looked at. */
export interface Ground {
  readonly engine: Engine;
  readonly image: DockerImage;
  readonly source: Source;
}

export interface GroundOptions {
  readonly settings: Settings;
  readonly source: string;
  readonly trustSource: boolean;
  readonly signal: AbortSignal;
}

/** Fails with TilthError `usage` when one of the three is not as it must be; nothing has been changed then. */
export async function findGround(options: GroundOptions): Promise<Ground> {
  const [source, engine] = await Promise.all([findSource(options), findEngine(options)]);
  return { source, ...engine };
}

export async function findSource({ settings, source, trustSource, signal }: GroundOptions): Promise<Source> {
  const git = HostGit.find(settings.host);
  return await preflightSource(source, { git, home: hostPath(settings.home), trust: trustSource, signal });
}

export async function findEngine({
  settings,
  signal,
}: Pick<GroundOptions, "settings" | "signal">): Promise<Omit<Ground, "source">> {
  const engine = await Engine.connect(settings, signal);
  const image = await findImage(engine, settings, signal);
  if (image) return { engine, image };
  throw new TilthError("usage", "the hands image is not on the engine yet", "tilth image build");
}

/** What a person should know before anything starts. */
export function remarksOn(source: Source): readonly string[] {
  const { author, dirty, trustedKeys } = source;
  const remarks = [`commits will be by ${author.name} <${author.email}> (${author.from})`];
  if (dirty === "dirty") remarks.push("the source has uncommitted changes; they are not part of the base");
  if (dirty === "unknown") remarks.push("whether the source has uncommitted changes could not be told");
  if (trustedKeys.length > 0) remarks.push(`trusted settings of the source: ${trustedKeys.join(", ")}`);
  return remarks;
}
