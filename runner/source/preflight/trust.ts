import { createHash } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { TilthError } from "../../base/errors.js";
import { writeFileAtomic } from "../../disk/atomic-file.js";
import { diskTrouble } from "../../disk/disk-trouble.js";
import { readRegular, sayRefusal } from "../../disk/read-regular.js";
import { oneLine } from "../../text/sanitise.js";
import { shellWord } from "../git/shell-word.js";
import type { ConfigEntry } from "./config-files.js";
import { executes } from "./executing-keys.js";

const trustSchema = z.strictObject({
  v: z.literal(1),
  /** by the git directory that holds the config */
  sources: z.record(
    z.string(),
    z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/), keys: z.array(z.string()) }),
  ),
});
type Trust = z.infer<typeof trustSchema>;

/** Returns the settings among `entries` that git would run; an empty value is no command. */
export function executingEntries(entries: readonly ConfigEntry[]): ConfigEntry[] {
  return entries.filter((entry) => executes(entry.key) && (entry.value?.length ?? 0) > 0);
}

/**
 * Accepts a source when it has no executing settings, or only ones that were trusted before. With `trust` it records
 * their keys and values and nothing else, so git's own edits of the same file do not matter. Use `unasked` when no work
 * tree is made in which a person's git could meet the settings.
 */
export function settleTrust(
  executing: readonly ConfigEntry[],
  where: { home: string; gitDir: string; trust: boolean | "unasked" },
): void {
  const [first] = executing;
  if (first === undefined) return;
  const unsayable = executing.find((entry) => entry.key.includes("\ufffd"));
  // such a key could be recorded, but not switched off by name
  if (unsayable !== undefined) throw misnamed(unsayable);
  if (where.trust === "unasked") return;
  const file = join(where.home, "trusted.json");
  const known = load(file);
  const sha256 = fingerprint(executing);
  const before = known.sources[where.gitDir];
  if (before?.sha256 === sha256) return;
  if (!where.trust) throw untrusted(first, executing.length, before !== undefined);
  const keys = [...new Set(executing.map((entry) => entry.key))].sort();
  const next: Trust = { v: 1, sources: { ...known.sources, [where.gitDir]: { sha256, keys } } };
  makeHome(where.home);
  writeFileAtomic(file, `${JSON.stringify(next, null, 2)}\n`);
}

function makeHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskTrouble("make the folder", home, error);
  }
}

function fingerprint(entries: readonly ConfigEntry[]): string {
  const listed = entries.map((entry) => [entry.key, entry.value?.toString("base64") ?? null]);
  return createHash("sha256").update(JSON.stringify(listed)).digest("hex");
}

function load(file: string): Trust {
  if (!existsSync(file)) return { v: 1, sources: {} };
  const content = readRegular(file, 16 * 1024 * 1024);
  if (!content.ok) throw unusable(file, sayRefusal(content));
  try {
    return trustSchema.parse(JSON.parse(content.content.toString("utf8")));
  } catch (error) {
    throw unusable(file, "is not what tilth wrote", error);
  }
}

function untrusted(entry: ConfigEntry, count: number, changed: boolean): TilthError {
  const command = oneLine(entry.value?.toString("utf8") ?? "", 80);
  const more = count > 1 ? `, and ${count - 1} more like it` : "";
  const since = changed ? "; this differs from what was trusted before" : "";
  return new TilthError(
    "usage",
    `'${oneLine(entry.key, 80)}' in '${entry.file}' makes git run a command (${command})${more}${since}`,
    "if you trust it, say so once with --trust-source; tilth itself never runs it",
  );
}

function misnamed(entry: ConfigEntry): TilthError {
  const hint = `give it a name that is UTF-8, or take it out of '${entry.file}'`;
  return new TilthError("usage", `'${oneLine(entry.key, 80)}' in '${entry.file}' makes git run a command`, hint);
}

function unusable(file: string, problem: string, cause?: unknown): TilthError {
  return new TilthError(
    "usage",
    `${file} ${problem}`,
    `remove it and trust the source again: rm ${shellWord(file)}`,
    cause,
  );
}
