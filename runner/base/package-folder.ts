import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with package.json, images/ and prompts/, found both from the sources and from the compiled package. */
export const packageFolder: string = nearestManifest(dirname(fileURLToPath(import.meta.url)));

function nearestManifest(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error("tilth's own package.json is missing");
  return nearestManifest(parent);
}
