import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CommitId, SessionId, TreeId } from "../../base/ids.js";
import { diskTrouble } from "../../disk/disk-trouble.js";
import { nodeIo, syncFolder } from "../../disk/file-io.js";
import type { Repository } from "../git/base-pack.js";
import type { GitPlace } from "../git/git-environment.js";
import { ObjectReader } from "../git/object-reader.js";
import { treeCaps } from "../git/tree-caps.js";
import { parseCommit } from "../git/tree-object.js";
import { refuse, type TreeChange, TreeReader, walkChange } from "../git/tree-walk.js";
import { KeptPack, keptSuffix } from "../refs/kept-pack.js";
import { judgeChanges, type PathPolicy } from "./import-policy.js";
import { idsInPack, indexVersion } from "./pack-index.js";

export interface Incoming {
  readonly session: SessionId;
  /** the session's own folder beside the objects, safe from any prune; created for the import and removed after it */
  readonly quarantine: string;
  /** every object of `commit` that `parent` lacks, each complete in itself */
  readonly pack: AsyncIterable<Uint8Array>;
  readonly commit: CommitId;
  readonly tree: TreeId;
  /** the commit at which the branch stands */
  readonly parent: CommitId;
  /** null allows any path */
  readonly allowed: PathPolicy | null;
}

/** Room for a commit object and its message. */
const commitBytes = 1024 * 1024;
const timeoutMs = 900_000;

/**
 * Takes the objects of one commit into the source, checks each of them, and makes them durable; no ref moves. A commit
 * that fails a check is TilthError `infra`, and the source is unchanged. Repeating it for the same commit is harmless.
 * No repack drops the objects until the caller releases the returned pack, which it does after the ref has moved.
 */
export async function importObjects(source: Repository, incoming: Incoming, signal: AbortSignal): Promise<KeptPack> {
  const { quarantine } = incoming;
  const objects = join(source.commonDir, "objects");
  try {
    rmSync(quarantine, { recursive: true, force: true });
    // one folder at a time, so that a source that was moved away is not begun again in its old place
    mkdirSync(quarantine, { mode: 0o700 });
    mkdirSync(join(quarantine, "pack"), { mode: 0o700 });
    const place = { objects: quarantine, alternate: objects };
    const looking = {
      gitDir: source.gitDir,
      quarantine: place,
      doing: "look at an accepted commit",
      signal,
      timeoutMs,
    };
    // the reader starts up in parallel with index-pack, and looks for packs only when it is first asked
    await using reader = new ObjectReader(source.git, looking);
    const index = await indexPack(source, place, incoming, signal);
    await inspect(reader, index, incoming);
    const kept = KeptPack.keep(index, incoming.session);
    moveIn(join(quarantine, "pack"), join(objects, "pack"));
    syncFolder(objects, nodeIo);
    return kept.in(join(objects, "pack"));
  } catch (error) {
    throw error instanceof Error && "syscall" in error ? diskTrouble("write", objects, error) : error;
  } finally {
    rmSync(quarantine, { recursive: true, force: true });
  }
}

/** Returns the index's path. No `--fix-thin`: a pack that relies on the source could not be judged by itself. */
async function indexPack(
  source: Repository,
  quarantine: NonNullable<GitPlace["quarantine"]>,
  { pack }: Incoming,
  signal: AbortSignal,
): Promise<string> {
  const strict = "--strict=badFilemode=error";
  const args = ["index-pack", "--stdin", strict, `--index-version=${indexVersion}`];
  const { stdout } = await source.git.run([...args, `--max-input-size=${treeCaps.bytes}`], {
    gitDir: source.gitDir,
    quarantine,
    doing: "take an accepted commit into the source",
    input: pack,
    signal,
    timeoutMs,
  });
  const [, hash = ""] = /^pack\t([0-9a-f]{40})\n$/.exec(stdout.toString("latin1")) ?? [];
  return join(quarantine.objects, "pack", `pack-${hash}.idx`);
}

async function inspect(reader: ObjectReader, index: string, incoming: Incoming): Promise<void> {
  const reached = await reach(reader, incoming);
  const arrived = idsInPack(index);
  const infos = await reader.info(arrived);
  for (const [at, oid] of arrived.entries()) {
    const { type = "object", size = 0 } = infos[at] ?? {};
    if (!reached.has(oid)) throw refuse(`its pack holds ${type} ${oid}, which is no part of it`);
    if (size > treeCaps.bytes) throw refuse(`${type} ${oid} is too big`);
  }
}

/** Judges the commit and everything it changes; returns the ids that its pack may hold. */
async function reach(reader: ObjectReader, incoming: Incoming): Promise<Set<string>> {
  const [commit, parent] = await reader.contents([incoming.commit, incoming.parent], "commit", commitBytes);
  const named = commit ? parseCommit(commit) : null;
  const before = parent ? parseCommit(parent) : null;
  if (named === null || before === null) throw refuse(`commit ${incoming.commit} or its parent is missing`);
  if (named.tree !== incoming.tree) throw refuse(`its tree is ${named.tree}, not ${incoming.tree}`);
  if (named.parents.length !== 1 || named.parents[0] !== incoming.parent) {
    throw refuse(`its parent is '${named.parents.join(" ")}', not ${incoming.parent}`);
  }
  const trees = new TreeReader(reader);
  const changes = await walkChange(trees, before.tree, named.tree);
  await judgeChanges(trees, { before: before.tree, after: named.tree, changes, allowed: incoming.allowed });
  return new Set([incoming.commit, named.tree, ...newIds(changes)]);
}

function newIds(changes: readonly TreeChange[]): string[] {
  return changes.flatMap(({ item }) => (item === null ? [] : [item.oid]));
}

/** Moves the `.keep` file first and the index last: git does not see a pack without its index. */
function moveIn(from: string, to: string): void {
  if (!existsSync(to)) mkdirSync(to);
  const names = readdirSync(from).filter((name) => lstatSync(join(from, name)).isFile());
  const place = (name: string) => Number(name.endsWith(".idx")) - Number(name.endsWith(keptSuffix));
  for (const name of names.sort((a, b) => place(a) - place(b))) renameSync(join(from, name), join(to, name));
  syncFolder(to, nodeIo);
}
