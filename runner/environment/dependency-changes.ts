import type { Change } from "../hands/ports/clerk.js";
import { type Blobs, mayDeclare } from "./dependency-files.js";
import { differing, type FilesInForce } from "./files-in-force.js";

export interface ChangedTree {
  readonly tree: string;
  /** the last accepted tree */
  readonly last: string;
  /** changes since the last accepted tree */
  readonly changes: readonly Change[];
}

/** A dependency file that differs in a tree from the one in force. */
export interface DependencyChange {
  readonly path: string;
  /** already so in the last accepted tree, so no change of the submitted one */
  readonly isOlder: boolean;
  /** the last accepted tree differed from the files in force as well */
  readonly wasOff: boolean;
}

/** Compares the dependency files of submitted trees with those in force, whatever the accepted trees hold by now. */
export class DependencyChanges {
  readonly #blobs = new Map<string, Blobs>();

  /** `list` returns all blobs of a tree and is called once per tree. */
  constructor(
    private readonly inForce: FilesInForce,
    private readonly list: (tree: string) => Promise<Blobs>,
    private readonly named: readonly string[] | null,
  ) {}

  async in({ tree, last, changes }: ChangedTree): Promise<readonly DependencyChange[]> {
    const inForce = await this.inForce.blobs();
    const before = await this.#blobsOf(last, inForce);
    const now = withChanges(before, this.#counting(inForce, changes));
    this.#blobs.set(tree, now);
    return differing(inForce, now).map((path) => ({
      path,
      isOlder: now.get(path) === before.get(path),
      wasOff: before.get(path) !== inForce.get(path),
    }));
  }

  async #blobsOf(tree: string, inForce: Blobs): Promise<Blobs> {
    const known = this.#blobs.get(tree);
    if (known !== undefined) return known;
    const all = [...(await this.list(tree))].map(([path, blob]) => ({ path, blob }));
    const found = new Map(this.#counting(inForce, all).map(({ path, blob }) => [path, blob]));
    this.#blobs.set(tree, found);
    return found;
  }

  #counting<T extends { readonly path: string }>(inForce: Blobs, all: readonly T[]): readonly T[] {
    return all.filter(({ path }) => mayDeclare(path, this.named) || inForce.has(path));
  }
}

function withChanges(before: Blobs, changes: readonly Change[]): Blobs {
  const now = new Map(before);
  for (const { path, status, mode, oid } of changes)
    if (status !== "deleted" && mode.startsWith("100")) now.set(path, oid);
    else now.delete(path);
  return now;
}

const mostNoted = 20;

/** Tells whoever judges the tree about its dependency files. */
export function notesOn(changes: readonly DependencyChange[], isNamed: (path: string) => boolean): readonly string[] {
  const notes = changes.flatMap(({ path, isOlder, wasOff }) => {
    if (isNamed(path)) return wasOff ? [`${path} ${takesAll}`] : [];
    return isOlder ? [] : [`${path} ${takesNothing}`];
  });
  const more = notes.length - mostNoted;
  return more <= 0 ? notes : [...notes.slice(0, mostNoted), `so it is with ${more} more dependency files`];
}

const takesNothing = "changes, and the task does not name it: the check runs in the environment in force";
const takesAll =
  "was changed before by a task that did not name it: this one names it, so that change takes effect now too, unless it is undone";
