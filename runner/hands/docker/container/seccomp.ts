import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../../base/package-folder.js";

export const seccompProfile = JSON.stringify(
  JSON.parse(readFileSync(join(packageFolder, "images/hands/seccomp.json"), "utf8")),
);
