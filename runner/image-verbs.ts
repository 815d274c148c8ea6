import { Engine } from "./hands/engine.js";
import type { HandsImage } from "./hands/hands.js";
import { buildImage } from "./hands/image-build.js";
import { type ListedImage, listImages } from "./hands/image-find.js";
import { type ImageVerification, verifyImage } from "./hands/image-verify.js";
import type { Settings } from "./settings.js";

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

export async function verifyHandsImage(settings: Settings, signal: AbortSignal): Promise<ImageVerification> {
  return await verifyImage(await Engine.connect(settings, signal), settings, signal);
}
