import { buildHandsImage, listHandsImages, verifyHandsImage } from "../../runner/index.js";
import { exitFound, exitOk } from "../exit-codes.js";
import { loadSettings } from "../settings.js";
import type { Surroundings } from "../surroundings.js";

export async function imageBuild({ output, signal }: Surroundings, options: { base?: string }): Promise<number> {
  const given = loadSettings();
  const settings = options.base ? { ...given, sandbox: { ...given.sandbox, baseImage: options.base } } : given;
  const image = await buildHandsImage({ settings, signal, say: (line) => output.say(line) });
  output.print(`${image.id}  ${image.tools.join(", ")}`);
  return exitOk;
}

export async function imageList({ output, signal }: Surroundings): Promise<number> {
  const images = await listHandsImages(loadSettings(), signal);
  if (images.length === 0) output.print("there is no hands image on the engine yet; make one: tilth image build");
  for (const image of images) {
    const size = `${Math.round(image.bytes / 1e6)} MB`;
    const parts = [image.tags.join(", ") || image.id, size, image.base, image.tools.join(", ")];
    output.print(`${image.current ? "*" : " "} ${parts.join("  ")}`);
  }
  return exitOk;
}

export async function imageVerify({ output, signal }: Surroundings): Promise<number> {
  const verification = await verifyHandsImage(loadSettings(), signal);
  for (const { what, expected, seen, same } of verification.comparisons)
    if (!same) output.print(`differs: ${what}: expected ${expected}, seen ${seen}`);
  output.print(`${verification.image} ${verification.same ? "matches its recipe" : "does NOT match its recipe"}`);
  output.print(`(${verification.compares})`);
  if (!verification.same) output.print("  → tilth image build");
  return verification.same ? exitOk : exitFound;
}
