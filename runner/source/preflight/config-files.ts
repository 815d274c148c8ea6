import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { TilthError } from "../../base/errors.js";
import { type HostPath, isUtf8 } from "../../base/ids.js";
import { errnoCode } from "../../disk/disk-trouble.js";
import { readRegular, sayRefusal } from "../../disk/read-regular.js";
import { oneLine } from "../../text/sanitise.js";
import type { HostGit } from "../git/host-git.js";
import { shellWord } from "../git/shell-word.js";
import { executes } from "./executing-keys.js";

/** One setting as a file has it; a key without a value has null. */
export interface ConfigEntry {
  readonly file: string;
  readonly key: string;
  readonly value: Buffer | null;
}

const maxFileBytes = 1024 * 1024;
const maxDepth = 10;
const maxFiles = 100;

/**
 * Reads every setting in `files` and in all files that they include, on any condition. tilth reads each file once and
 * git only parses its bytes, so git never opens a file of somebody else's choosing before it is known to be a plain
 * one.
 */
export async function readConfig(git: HostGit, files: readonly string[], signal: AbortSignal): Promise<ConfigEntry[]> {
  const reader = new ConfigReader(git, signal);
  for (const file of files) await reader.read(file, 0);
  return reader.entries;
}

/**
 * Asks git for its settings, which executes none of them. An executing setting that is missing from `entries` stands in
 * a file that git finds and tilth did not.
 */
export async function refuseUnseen(
  git: HostGit,
  gitDir: HostPath,
  entries: readonly ConfigEntry[],
  signal: AbortSignal,
): Promise<void> {
  const call = { gitDir, doing: "list the settings of the source", signal, timeoutMs: 10_000, accept: [0, 128] };
  const { stdout } = await git.run(["config", "--list", "-z"], call);
  const known = new Set(entries.map(identityOf));
  for (const entry of entriesOf(join(gitDir, "config"), stdout)) {
    if (!executes(entry.key) || known.has(identityOf(entry))) continue;
    const hint = `see where it stands: git --git-dir=${shellWord(gitDir)} config --show-origin --get-all ${shellWord(entry.key)}`;
    throw new TilthError(
      "usage",
      `git finds '${oneLine(entry.key, 80)}', which makes it run a command, where tilth does not`,
      hint,
    );
  }
}

function identityOf({ key, value }: ConfigEntry): string {
  return `${key}\n${value?.toString("base64") ?? ""}`;
}

class ConfigReader {
  readonly entries: ConfigEntry[] = [];
  readonly #git: HostGit;
  readonly #signal: AbortSignal;
  #files = 0;

  constructor(git: HostGit, signal: AbortSignal) {
    this.#git = git;
    this.#signal = signal;
  }

  async read(file: string, depth: number): Promise<void> {
    const path = realPath(file);
    if (path === null) return;
    this.#files += 1;
    if (depth > maxDepth || this.#files > maxFiles) {
      throw refuse(
        file,
        "exceeds the number of includes that tilth reads",
        `take some [include] sections out of what leads to '${file}'`,
      );
    }
    for (const entry of await this.#parse(file, path)) {
      this.entries.push(entry);
      const included = includedBy(entry, this.#git.places.userHome);
      if (included !== null) await this.read(included, depth + 1);
    }
  }

  async #parse(file: string, path: string): Promise<ConfigEntry[]> {
    const content = readRegular(path, maxFileBytes);
    if (!content.ok) throw refuse(file, sayRefusal(content), `look at it: ls -ld ${shellWord(file)}`);
    const answer = await this.#git.run(["config", "--file", "-", "--no-includes", "-z", "--list"], {
      gitDir: null,
      doing: `parse '${file}'`,
      input: content.content,
      signal: this.#signal,
      timeoutMs: 10_000,
      accept: [0, 1, 3, 128, 129],
    });
    if (answer.exit !== 0) throw refuse(file, "is not a git config", `git config --file ${shellWord(file)} --list`);
    return [...entriesOf(file, answer.stdout)];
  }
}

function* entriesOf(file: string, listed: Buffer): Generator<ConfigEntry> {
  let from = 0;
  for (let end = listed.indexOf(0); end >= 0; end = listed.indexOf(0, from)) {
    const record = listed.subarray(from, end);
    const line = record.indexOf(10);
    const key = record.subarray(0, line < 0 ? record.length : line).toString("utf8");
    yield { file, key, value: line < 0 ? null : record.subarray(line + 1) };
    from = end + 1;
  }
}

function includedBy(entry: ConfigEntry, userHome: string): string | null {
  if (entry.key !== "include.path" && !/^includeif\..*\.path$/s.test(entry.key)) return null;
  const path = entry.value?.toString("utf8") ?? "";
  if (path === "") return null;
  if (!isUtf8(path))
    throw refuse(entry.file, `includes '${path}', a name that is not UTF-8`, "give that file another name");
  if (path.startsWith("~/")) return `${userHome}/${path.slice(2)}`;
  // git looks these up in the user database or in its own build
  if (path.startsWith("~") || path.startsWith("%(")) {
    throw refuse(
      entry.file,
      `includes '${path}', which tilth cannot look at`,
      "write that include as an absolute path",
    );
  }
  // never normalised: after a link, `..` leads to another folder than the one before it
  return isAbsolute(path) ? path : `${dirname(entry.file)}/${path}`;
}

/** Returns null for a missing file, which git skips as well. */
function realPath(file: string): string | null {
  const hint = `look at it: ls -ld ${shellWord(file)}`;
  let real: string;
  try {
    real = realpathSync.native(file);
  } catch (error) {
    const code = errnoCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    // git may still find a file that cannot be found this way
    throw refuse(file, `cannot be looked at (${code})`, hint);
  }
  if (!isUtf8(real)) throw refuse(file, `leads to '${real}', a name that is not UTF-8`, hint);
  return real;
}

function refuse(file: string, problem: string, hint: string): TilthError {
  return new TilthError("usage", `the git config file '${file}' ${problem}`, hint);
}
