import { hostPath } from "../base/ids.js";
import type { HandsImage } from "../hands/ports/hands.js";
import type { ImageVerification, ListedImage, PrunedImages } from "../hands/ports/images.js";
import { usualOrigin } from "../hands/provider.js";
import { isFinished } from "../session/listing.js";
import { SessionStore } from "../session/store.js";
import type { Settings } from "../settings/settings.js";

export interface BuildOrder {
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

export async function buildHandsImage(order: BuildOrder): Promise<HandsImage> {
  const { settings, signal, say } = order;
  return await (await usualOrigin.connect(settings, signal)).images.build(say, signal);
}

export async function listHandsImages(settings: Settings, signal: AbortSignal): Promise<readonly ListedImage[]> {
  return await (await usualOrigin.connect(settings, signal)).images.list(signal);
}

/** Removes hands images of older recipes, except those an unfinished session has worked with. */
export async function pruneHandsImages(settings: Settings, signal: AbortSignal): Promise<PrunedImages> {
  return await (await usualOrigin.connect(settings, signal)).images.prune(imagesNeeded(settings), signal);
}

/** A session that cannot be read keeps no image. */
function imagesNeeded(settings: Settings): ReadonlySet<string> {
  const store = new SessionStore(hostPath(settings.home));
  const unfinished = store.list().filter((row) => row.problem === null && !isFinished(row));
  return new Set(unfinished.flatMap(({ id }) => store.open(id).loadCheckpoint().image ?? []));
}

export async function verifyHandsImage(settings: Settings, signal: AbortSignal): Promise<ImageVerification> {
  return await (await usualOrigin.connect(settings, signal)).images.verify(signal);
}
