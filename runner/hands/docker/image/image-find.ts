import type Dockerode from "dockerode";
import { TilthError } from "../../../base/errors.js";
import type { Settings } from "../../../settings/settings.js";
import type { HandsImage } from "../../ports/hands.js";
import type { ListedImage } from "../../ports/images.js";
import type { Engine } from "../engine/engine.js";
import { possibleBases } from "./image-base.js";
import { type BuildContext, localImage } from "./image-engine.js";
import { imageLabels, toolsIn } from "./image-labels.js";
import { type Base, programsHash, recipeOn } from "./image-recipe.js";

export interface DockerImage extends HandsImage {
  /** the environment that the image declares for every command */
  readonly env: Readonly<Record<string, string>>;
}

type ImageContext = Omit<BuildContext, "say">;

/** Finds the image for sessions: the person's own, else one of ours by tag and label; null when none is built. */
export async function findImage(engine: Engine, settings: Settings, signal: AbortSignal): Promise<DockerImage | null> {
  const around = { engine, settings, signal };
  if (settings.sandbox.image !== null) return await ownImage(settings.sandbox.image, around);
  const images = await Promise.all(possibleBases(settings).map((base) => imageOn(base, around)));
  return images.find((image) => image !== null) ?? null;
}

/** Returns null when the engine has no such image, or its programs are not this tilth's. */
export async function findImageById(id: string, around: ImageContext): Promise<DockerImage | null> {
  const image = await localImage(id, around);
  return image && labelsOf(image)[imageLabels.programs] === programsHash() ? handsImageOf(image, around) : null;
}

async function imageOn(base: Base, around: ImageContext): Promise<DockerImage | null> {
  const recipe = recipeOn(base);
  const image = await localImage(recipe.tag, around);
  return image && labelsOf(image)[imageLabels.recipe] === recipe.id ? handsImageOf(image, around) : null;
}

/** A person's image inherits our labels, and must hold this tilth's programs: both ends speak one protocol. */
async function ownImage(reference: string, around: ImageContext): Promise<DockerImage> {
  const image = await localImage(reference, around);
  if (!image)
    throw new TilthError(
      "usage",
      `TILTH_SANDBOX_IMAGE names ${JSON.stringify(reference)}, which is not on the engine`,
      `bring it there (docker pull ${reference}), or unset TILTH_SANDBOX_IMAGE`,
    );
  if (labelsOf(image)[imageLabels.programs] === programsHash()) return handsImageOf(image, around);
  throw new TilthError(
    "usage",
    `the image ${JSON.stringify(reference)} is not built FROM this tilth's hands image`,
    "build it again FROM the tag that tilth image build prints, or unset TILTH_SANDBOX_IMAGE",
  );
}

export function handsImageOf(image: Dockerode.ImageInspectInfo, { engine, settings }: ImageContext): DockerImage {
  const labels = labelsOf(image);
  return {
    id: image.Id,
    recipe: labels[imageLabels.recipe] ?? "",
    runtime: settings.sandbox.runtime ?? engine.facts.defaultRuntime,
    tools: toolsIn(labels),
    env: parseEnv(image.Config.Env ?? []),
    platform: [image.Os, image.Architecture, ...toolsIn(labels).filter((tool) => tool.startsWith("Python "))].join(" "),
  };
}

/** Lists every image with our labels, including those built FROM ours, the newest first. */
export async function listImages(
  engine: Engine,
  settings: Settings,
  signal: AbortSignal,
): Promise<readonly ListedImage[]> {
  const current = (await findImage(engine, settings, signal))?.id;
  const filters = JSON.stringify({ label: [imageLabels.recipe] });
  const images = await engine.must("list images", signal, (docker) => docker.listImages({ filters }));
  return images
    .sort((a, b) => b.Created - a.Created)
    .map((image) => ({
      id: image.Id,
      // some engines write this for an image without tags
      tags: (image.RepoTags ?? []).filter((tag) => tag !== "<none>:<none>"),
      recipe: image.Labels[imageLabels.recipe] ?? "",
      base: image.Labels[imageLabels.base] ?? "",
      tools: toolsIn(image.Labels),
      bytes: image.Size,
      created: new Date(image.Created * 1000),
      current: image.Id === current,
    }));
}

export function labelsOf(image: Dockerode.ImageInspectInfo): Readonly<Record<string, string>> {
  return image.Config.Labels ?? {};
}

/** Parses `NAME=value` lines as the engine lists them. */
function parseEnv(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}
