import type { ListedImage } from "../../ports/images.js";
import type { Engine } from "../engine/engine.js";
import { statusOf } from "../engine/engine-errors.js";

const ours = "tilth-hands:";

/** Finds our images of older recipes by their tags: none in use, none built FROM ours, none still needed. */
export function outdated(images: readonly ListedImage[], needed: ReadonlySet<string>): readonly ListedImage[] {
  const current = images.find((image) => image.current);
  if (current === undefined) return [];
  return images.filter(
    ({ id, tags, created }) =>
      !needed.has(id) && created < current.created && tags.length > 0 && tags.every((tag) => tag.startsWith(ours)),
  );
}

/** Returns false when a container or another image still needs it. */
export async function removeImage(engine: Engine, { tags }: ListedImage, signal: AbortSignal): Promise<boolean> {
  return await engine.must("remove an older hands image", signal, async (docker) => {
    try {
      for (const tag of tags) await docker.getImage(tag).remove();
    } catch (error) {
      if (statusOf(error) === 409) return false;
      if (statusOf(error) !== 404) throw error;
    }
    return true;
  });
}
