import { TilthError } from "../../base/errors.js";
import type { CommitId } from "../../base/ids.js";
import { RecordReader } from "../../disk/record-reader.js";
import type { HostGit } from "./host-git.js";
import type { Places } from "./repository.js";
import { shellWord } from "./shell-word.js";
import { treeCaps } from "./tree-caps.js";

/** A source's objects and refs. */
export type Repository = Places & { readonly git: HostGit; readonly partial: boolean };

export interface TreeSize {
  readonly entries: number;
  readonly bytes: number;
  readonly submodules: readonly string[];
  /** ids of the first hundred `.gitattributes` blobs */
  readonly attributeFiles: readonly string[];
}

/**
 * Counts the files of `commit` from its trees alone; TilthError `usage` as soon as it is more than a session may hold,
 * or when an object is missing.
 */
export async function measureBase(source: Repository, commit: CommitId, signal: AbortSignal): Promise<TreeSize> {
  const counter = new ListingCounter(source, commit);
  const args = ["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", commit];
  const listing = {
    gitDir: source.gitDir,
    doing: "list the base commit",
    signal,
    timeoutMs: 120_000,
    accept: [0, 128],
  };
  await using child = source.git.open(args, listing);
  child.stdin.end();
  for await (const chunk of child.stdout) counter.take(chunk as Buffer);
  if ((await source.git.finish(child, args, listing)) !== 0) throw incomplete(source, commit);
  return counter;
}

/** Packs `commit` whole, with none of its history. */
export function packBase(source: Repository, commit: CommitId, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  return packCommits(source, [commit], signal);
}

/** Packs `commits` whole, with none of their history. */
export async function* packCommits(
  source: Repository,
  commits: readonly CommitId[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const commit of commits) await measureBase(source, commit, signal);
  // the pack goes through a pipe to the next process, so compressing it well would cost more than it saves
  const args = ["pack-objects", "--revs", "--stdout", "-q", "--delta-base-offset", "--window=0", "--compression=1"];
  yield* source.git.stream(args, {
    gitDir: source.gitDir,
    doing: "pack the base commit",
    input: commits.map((commit) => `--shallow ${commit}\n${commit}\n`).join(""),
    signal,
    timeoutMs: 900_000,
  });
}

const mostAttributeFiles = 100;
const attributes = Buffer.from(".gitattributes");

class ListingCounter implements TreeSize {
  entries = 0;
  bytes = 0;
  readonly submodules: string[] = [];
  readonly attributeFiles: string[] = [];
  readonly #source: Repository;
  readonly #commit: CommitId;
  #pathBytes = 0;
  readonly #records = new RecordReader(0);

  constructor(source: Repository, commit: CommitId) {
    this.#source = source;
    this.#commit = commit;
  }

  take(chunk: Buffer): void {
    for (const record of this.#records.read(chunk)) this.#count(record);
  }

  #count(record: Buffer): void {
    const tab = record.indexOf(9);
    const [mode, , oid = "", size] = record.toString("latin1", 0, tab).split(/ +/);
    this.entries += 1;
    this.bytes += Number(size) || 0;
    const pathBytes = record.length - tab - 1;
    this.#pathBytes += pathBytes;
    if (mode === "160000") this.submodules.push(record.toString("utf8", tab + 1));
    else if (this.attributeFiles.length < mostAttributeFiles && isAttributes(record, tab))
      this.attributeFiles.push(oid);
    if (this.entries > treeCaps.entries) throw this.#tooMuch(`more than ${treeCaps.entries} files and folders`);
    if (this.bytes > treeCaps.bytes) throw this.#tooMuch(`more than ${treeCaps.bytes / 1024 ** 3} GiB of files`);
    if (pathBytes > treeCaps.pathBytes) throw this.#tooMuch(`a path of more than ${treeCaps.pathBytes} bytes`);
    if (this.#pathBytes > treeCaps.allPathBytes)
      throw this.#tooMuch(`paths of more than ${treeCaps.allPathBytes / 1024 ** 2} MiB`);
    if (depthOf(record, tab) > treeCaps.depth) throw this.#tooMuch(`folders more than ${treeCaps.depth} deep`);
  }

  #tooMuch(what: string): TilthError {
    const hint = "take a smaller repository, or one without the files that are no code";
    return new TilthError("usage", `commit ${this.#commit} of '${this.#source.workTree}' holds ${what}`, hint);
  }
}

function isAttributes(record: Buffer, tab: number): boolean {
  const start = record.length - attributes.length;
  const [before, name] = [record[start - 1], record.subarray(start)];
  return (start - 1 === tab || before === 47) && name.equals(attributes);
}

function depthOf(record: Buffer, tab: number): number {
  let depth = 0;
  for (let at = record.indexOf(47, tab); at >= 0; at = record.indexOf(47, at + 1)) depth += 1;
  return depth;
}

function incomplete({ workTree, partial }: Repository, commit: CommitId): TilthError {
  const message = `objects of commit ${commit} are missing from '${workTree}'`;
  if (!partial)
    return new TilthError("usage", message, `see which: git -C ${shellWord(workTree)} fsck --connectivity-only`);
  return new TilthError(
    "usage",
    `${message}, a partial clone`,
    `fetch them: git -C ${shellWord(workTree)} fetch --refetch --no-filter`,
  );
}
