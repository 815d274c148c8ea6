import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  asSessionId,
  type CommitId,
  type HostPath,
  hostPath,
  type SessionId,
  type TreeId,
} from "../runner/base/ids.js";
import { type HandsOptions, openHands } from "../runner/hands/docker/docker-hands.js";
import type { Hands } from "../runner/hands/ports/hands.js";
import { type Files, makeSource, packOf } from "../test/helpers/sources.js";
import { letContainersWrite } from "../test/helpers/worktree-folder.js";
import type { Bench } from "./line.js";

/** Hands of a session that nobody runs: a worktree with files in it, the work container ready for tools. */
export interface Workshop extends AsyncDisposable {
  readonly hands: Hands;
  readonly session: SessionId;
  readonly worktree: HostPath;
  readonly base: CommitId;
  readonly tree: TreeId;
}

export async function openWorkshop(
  bench: Bench,
  files: Files,
  wayOut: HandsOptions["wayOut"] = null,
): Promise<Workshop> {
  const { engine, image, settings, signal } = bench;
  const source = mkdtempSync(join(bench.folder, "source-"));
  const base = await makeSource(source, files);
  const session = newSessionId();
  const worktree = hostPath(join(settings.home, "sessions", session, "workspace"));
  mkdirSync(worktree, { recursive: true });
  writeFileSync(join(worktree, ".git"), "gitdir: /nowhere\n");
  letContainersWrite(worktree);
  const hands = openHands({ engine, settings, session, worktree, image, wayOut, signal });
  try {
    await hands.clerk.open(base, signal);
    await hands.clerk.takePack(packOf(source, base), base, signal);
    await hands.clerk.materialise(base, signal);
    await hands.work.start(signal);
    await hands.work.beginTask(base, signal);
    const tree = await hands.clerk.treeOf(base, signal);
    return { hands, session, worktree, base, tree, [Symbol.asyncDispose]: () => hands.discard() };
  } catch (error) {
    await hands.discard();
    throw error;
  }
}

export function newSessionId(): SessionId {
  const id = asSessionId(`20250101-000000-${randomBytes(3).toString("hex")}`);
  if (id === null) throw new Error("not a session id");
  return id;
}
