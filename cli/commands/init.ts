import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { TilthError } from "../../runner/base/errors.js";
import { writeFileAtomic } from "../../runner/disk/atomic-file.js";
import { type Entries, listed } from "../../runner/settings/setting.js";
import { settingsTable } from "../../runner/settings/table.js";
import { exitOk } from "../output/exit-codes.js";
import type { Surroundings } from "../output/surroundings.js";
import { readRawSettings } from "../settings/settings.js";

export async function init(around: Surroundings): Promise<number> {
  const { home } = readRawSettings();
  ensureHome(home);
  const path = join(home, ".env");
  if (existsSync(path)) {
    around.output.print(`${path} exists already; it was left unchanged`);
    return exitOk;
  }
  try {
    writeFileAtomic(path, template(settingsTable));
  } catch (error) {
    throw new TilthError("usage", `cannot write ${path}`, "set TILTH_HOME to a folder you may write to", error);
  }
  around.output.print(`wrote ${path}: fill in the three settings that stand open, then: tilth doctor`);
  return exitOk;
}

/** Lists the required settings without a value, and every other one as a comment with its default. */
export function template(entries: Entries): string {
  const lines = listed(entries).flatMap(({ name, about, fallback, required }) => [
    `# ${about}`,
    required ? `${name}=` : `# ${name}=${fallback ?? ""}`,
    "",
  ]);
  return ["# Settings of tilth. The environment overrides this file; no other file sets them.", "", ...lines].join(
    "\n",
  );
}

/** Makes sure the home exists, as a folder only the person can enter; called when the first thing is put there. */
function ensureHome(home: string): void {
  try {
    makeFolders(home);
  } catch (error) {
    throw new TilthError(
      "usage",
      `cannot make the folder ${home}`,
      "set TILTH_HOME to a folder you may write to",
      error,
    );
  }
}

/** Makes parents one by one: with `recursive` under /proc, Node tries for ever. */
function makeFolders(path: string): void {
  if (existsSync(path)) return;
  makeFolders(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
}
