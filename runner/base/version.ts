import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./package-folder.js";

const manifest: unknown = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));

export const version: string =
  typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "0";
