import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { TilthError } from "../../runner/base/errors.js";

/** Makes sure the home exists, as a folder only the person can enter; called when the first thing is put there. */
export function ensureHome(home: string): void {
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
