import type { CommitId, TreeId } from "../../../base/ids.js";
import { againAfterSleep } from "../../ports/after-sleep.js";
import type { Clerk, NewCommit } from "../../ports/clerk.js";

/**
 * A clerk whose container may end while this process sleeps: it repeats the interrupted operation in the next
 * container. A pack that comes or goes as a stream must be begun again by the holder of the stream.
 */
export class EnduringClerk implements Clerk {
  constructor(private readonly clerk: Clerk) {}

  open(commit: CommitId, signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.open(commit, signal));
  }

  takePack(pack: AsyncIterable<Uint8Array>, tip: CommitId, signal: AbortSignal) {
    return this.clerk.takePack(pack, tip, signal);
  }

  materialise(commit: CommitId, signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.materialise(commit, signal));
  }

  treeWith(tree: TreeId, files: Parameters<Clerk["treeWith"]>[1], signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.treeWith(tree, files, signal));
  }

  mixed(tree: TreeId, other: TreeId, paths: readonly string[], signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.mixed(tree, other, paths, signal));
  }

  treeOf(commit: CommitId, signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.treeOf(commit, signal));
  }

  holds(tree: TreeId, signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.holds(tree, signal));
  }

  snapshot(last: TreeId, signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.snapshot(last, signal));
  }

  changes(from: TreeId, to: TreeId, signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.changes(from, to, signal));
  }

  diff(from: TreeId, to: TreeId, maxBytes: number, signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.diff(from, to, maxBytes, signal));
  }

  list(tree: TreeId, signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.list(tree, signal));
  }

  blob(tree: TreeId, path: string, maxBytes: number, signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.blob(tree, path, maxBytes, signal));
  }

  content(blob: string, maxBytes: number, signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.content(blob, maxBytes, signal));
  }

  commit(commit: NewCommit, signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.commit(commit, signal));
  }

  pack(commit: CommitId, base: CommitId, signal: AbortSignal) {
    return this.clerk.pack(commit, base, signal);
  }

  partialPatch(last: TreeId, maxBytes: number, signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.partialPatch(last, maxBytes, signal));
  }

  defuse(last: TreeId, signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.defuse(last, signal));
  }

  empty(signal: AbortSignal) {
    return againAfterSleep(() => this.clerk.empty(signal));
  }
}
