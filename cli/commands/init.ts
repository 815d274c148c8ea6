import { existsSync } from "node:fs";
import { join } from "node:path";
import { TilthError } from "../../runner/base/errors.js";
import { writeFileAtomic } from "../../runner/disk/atomic-file.js";
import { exitOk } from "../output/exit-codes.js";
import type { Surroundings } from "../output/surroundings.js";
import { required } from "../settings/endpoints.js";
import { ensureHome } from "../settings/ensure-home.js";
import { readRawSettings } from "../settings/settings.js";
import { settings } from "../settings/settings-table.js";

export async function init(around: Surroundings): Promise<number> {
  const { home } = readRawSettings();
  ensureHome(home);
  const path = join(home, ".env");
  if (existsSync(path)) {
    around.output.print(`${path} exists already; it was left unchanged`);
    return exitOk;
  }
  try {
    writeFileAtomic(path, template());
  } catch (error) {
    throw new TilthError("usage", `cannot write ${path}`, "set TILTH_HOME to a folder you may write to", error);
  }
  around.output.print(`wrote ${path}: fill in the three settings that stand open, then: tilth doctor`);
  return exitOk;
}

const isRequired = (name: string) => required.some((one) => one === name);

/** Lists the required settings without a value, and every other one as a comment with its default. */
function template(): string {
  const lines = settings.flatMap(({ name, about, fallback }) => [
    `# ${about}`,
    isRequired(name) ? `${name}=` : `# ${name}=${fallback ?? ""}`,
    "",
  ]);
  return ["# Settings of tilth. The environment overrides this file; no other file sets them.", "", ...lines].join(
    "\n",
  );
}
