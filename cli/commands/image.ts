import {
  buildHandsImage,
  type ListedEnvironment,
  listEnvironments,
  listHandsImages,
  pruneEnvironments,
  pruneHandsImages,
  verifyHandsImage,
} from "../../runner/index.js";
import { counted } from "../../runner/text/counted.js";
import { exitFound, exitOk } from "../output/exit-codes.js";
import type { Surroundings } from "../output/surroundings.js";
import { loadSettings } from "../settings/settings.js";

export async function imageBuild({ output, signal }: Surroundings, options: { base?: string }): Promise<number> {
  const given = loadSettings();
  const settings = options.base ? { ...given, baseImage: options.base } : given;
  const image = await buildHandsImage({ settings, signal, say: (line) => output.say(line) });
  output.print(`${image.id}  ${image.tools.join(", ")}`);
  return exitOk;
}

export async function imageList({ output, signal }: Surroundings): Promise<number> {
  const settings = loadSettings();
  const images = await listHandsImages(settings, signal);
  if (images.length === 0) output.print("there is no hands image yet; make one: tilth image build");
  for (const image of images) {
    const size = `${Math.round(image.bytes / 1e6)} MB`;
    const parts = [image.tags.join(", ") || image.id, size, image.base, image.tools.join(", ")];
    output.print(`${image.current ? "*" : " "} ${parts.join("  ")}`);
  }
  for (const environment of listEnvironments(settings)) output.print(`  ${environmentLine(environment)}`);
  return exitOk;
}

function environmentLine({ name, packages, taken, python, pytest, sessions }: ListedEnvironment): string {
  const users = sessions.length === 0 ? "no unfinished session" : sessions.join(", ");
  const from = taken.length === 0 ? [] : [taken.join(", ")];
  return [name, counted(packages, "package"), ...from, `Python ${python}, pytest ${pytest}`, users].join("  ");
}

export async function imagePrune({ output, signal }: Surroundings): Promise<number> {
  const settings = loadSettings();
  const images = await pruneHandsImages(settings, signal);
  for (const tag of images.removed) output.print(`removed ${tag}`);
  for (const tag of images.inUse) output.print(`left ${tag}: a container or another image needs it`);
  const { removed, inUse, kept } = await pruneEnvironments(settings, signal);
  for (const name of removed) output.print(`removed ${name}`);
  for (const name of inUse) output.print(`left ${name}: a container has it`);
  const count = images.removed.length;
  output.print(`removed: older hands images ${count}, environments ${removed.length}; kept for sessions: ${kept}`);
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
