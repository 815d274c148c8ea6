import { hostPath } from "../base/ids.js";
import type { Settings } from "../base/settings.js";
import { Engine } from "../hands/docker/engine/engine.js";
import { buildImage } from "../hands/docker/image/image-build.js";
import { type ListedImage, listImages } from "../hands/docker/image/image-find.js";
import { outdated, removeImage } from "../hands/docker/image/image-prune.js";
import { type ImageVerification, verifyImage } from "../hands/docker/image/image-verify.js";
import type { HandsImage } from "../hands/ports/hands.js";
import { isFinished } from "../session/listing.js";
import { SessionStore } from "../session/store.js";

export interface BuildOrder {
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

export async function buildHandsImage(order: BuildOrder): Promise<HandsImage> {
  return await buildImage({ ...order, engine: await Engine.connect(order.settings, order.signal) });
}

export async function listHandsImages(settings: Settings, signal: AbortSignal): Promise<readonly ListedImage[]> {
  return await listImages(await Engine.connect(settings, signal), settings, signal);
}

export interface PrunedImages {
  readonly removed: readonly string[];
  /** tags of images that something on the engine still needs */
  readonly inUse: readonly string[];
}

/** Removes hands images of older recipes, except those an unfinished session has worked with. */
export async function pruneHandsImages(settings: Settings, signal: AbortSignal): Promise<PrunedImages> {
  const engine = await Engine.connect(settings, signal);
  const [removed, inUse]: [string[], string[]] = [[], []];
  for (const image of outdated(await listImages(engine, settings, signal), imagesNeeded(settings)))
    ((await removeImage(engine, image, signal)) ? removed : inUse).push(...image.tags);
  return { removed, inUse };
}

/** A session that cannot be read keeps no image. */
function imagesNeeded(settings: Settings): ReadonlySet<string> {
  const store = new SessionStore(hostPath(settings.home));
  const unfinished = store.list().filter((row) => row.problem === null && !isFinished(row));
  return new Set(unfinished.flatMap(({ id }) => store.open(id).loadCheckpoint().image ?? []));
}

export async function verifyHandsImage(settings: Settings, signal: AbortSignal): Promise<ImageVerification> {
  return await verifyImage(await Engine.connect(settings, signal), settings, signal);
}
