import { join } from "node:path";
import { TilthError } from "../base/errors.js";
import { OpenFolder, type RegularFile, sayRefusal } from "../disk/read-regular.js";
import { shellWord } from "../source/git/shell-word.js";
import { repeatedKey } from "../text/repeated-key.js";
import { oneLine } from "../text/sanitise.js";
import { mostTestBytes } from "./acceptance-tests.js";
import { mostPrdBytes } from "./entries.js";
import { testName } from "./seed.js";
import { spelling } from "./seed-problem.js";

const maxTests = 2000;

export interface SeedFolder {
  readonly prd: unknown;
  readonly testFiles: ReadonlyMap<string, string>;
  /** null if there is no seed-meta.json */
  readonly meta: unknown;
}

/**
 * Reads a hand-written seed: `prd.json`, `tests/` and, if there is one, `seed-meta.json`. The folder may be hostile or
 * in use, so only plain files are read, no link is followed, nothing is waited for, and sizes are capped. TilthError
 * `usage` for the first problem.
 */
export function readSeedDir(path: string): SeedFolder {
  using folder = OpenFolder.open(path, true);
  if (folder === null) throw wrong(`there is no folder ${shellWord(path)}`, path);
  const prd = parsed(path, "prd.json", folder.read("prd.json", mostPrdBytes));
  const meta = folder.read("seed-meta.json", mostPrdBytes);
  return {
    prd,
    testFiles: readTests(folder, path),
    meta: !meta.ok && meta.why === "missing" ? null : parsed(path, "seed-meta.json", meta),
  };
}

function readTests(folder: OpenFolder, path: string): ReadonlyMap<string, string> {
  using tests = folder.folder("tests");
  if (tests === null)
    throw wrong(`${join(path, "tests")} is missing or no folder of its own; it holds one test per task`, path);
  const names = tests.names(maxTests);
  if (names === null) throw wrong(`${join(path, "tests")} holds more than ${maxTests} files`, path);
  const stray = names.find((name) => !testName.test(name));
  if (stray !== undefined) throw wrong(sayStray(stray), path);
  return new Map(names.map((name) => [name, text(`tests/${name}`, tests.read(name, mostTestBytes), path)]));
}

function sayStray(name: string): string {
  return `tests/${oneLine(name, 100)}${spelling(name)} does not belong there: only files named test_t<NNN>_<slug>.py do (slug: a-z, 0-9 and _)`;
}

function parsed(path: string, name: string, file: RegularFile): unknown {
  const content = text(name, file, path).replace(/^\ufeff/, "");
  const value = fromJson(content, name, path);
  const repeated = repeatedKey(content);
  if (repeated !== null)
    throw wrong(`${name} names ${JSON.stringify(oneLine(repeated, 100))} twice in one object`, path);
  return value;
}

function fromJson(content: string, name: string, path: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    const why = error instanceof Error ? oneLine(error.message, 200) : "";
    throw wrong(`${name} is not JSON: ${why}`, path, error);
  }
}

/**
 * Decodes strictly, byte for byte: text that is not UTF-8 would be changed by decoding, and so differ from what was
 * tried.
 */
function text(name: string, file: RegularFile, path: string): string {
  if (!file.ok) throw wrong(`${name} ${sayRefusal(file)}`, path);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(file.content);
  } catch (error) {
    throw wrong(`${name} is not UTF-8`, path, error);
  }
}

function wrong(problem: string, path: string, cause?: unknown): TilthError {
  return new TilthError("usage", problem, `correct the seed in ${path}, then try again`, cause);
}
