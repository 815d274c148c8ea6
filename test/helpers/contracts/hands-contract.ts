import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect } from "vitest";
import type { CommitId, TreeId } from "../../../runner/base/ids.js";
import type { Hands } from "../../../runner/hands/ports/hands.js";
import { type Files, makeSource, packOf } from "../sources.js";

export interface HandsWorld extends AsyncDisposable {
  readonly hands: Hands;
  /** Puts files into the clerk's repository as its base; by default they come in a pack, as those of a source do. */
  readonly fill?: (files: Files) => Promise<CommitId>;
}

/** Hands over the files of a base, which their worktree has again before each test. */
export interface PreparedHands {
  readonly hands: Hands;
  readonly base: CommitId;
  readonly baseTree: TreeId;
}

/** Some of the promises of hands, as tests; an implementation keeps every part that it has. */
export type HandsPart = (prepared: () => PreparedHands) => void;

const baseFiles = {
  "README.md": "demo\n",
  ".gitignore": "ignored.log\n",
  "src/app.py": "X = 1\n",
  "data/lines.txt": "one\ntwo\nthree\nfour\n",
  "data/crlf.txt": "a\r\nb\r\n",
  "data/dollar.txt": "price = OLD\n",
  "fixture/HEAD": "ref: refs/heads/main\n",
  "fixture/objects/keep": "",
  "fixture/refs/keep": "",
};

const { signal } = new AbortController();

/** Holds one implementation of Hands to these parts of the contract. */
export function handsContract(
  name: string,
  makeWorld: () => Promise<HandsWorld>,
  parts: Readonly<Record<string, HandsPart>>,
): void {
  describe(name, () => {
    let world: HandsWorld;
    let prepared: PreparedHands;

    beforeAll(async () => {
      world = await makeWorld();
      const { hands } = world;
      const base = await (world.fill ?? fromSource(hands))(baseFiles);
      prepared = { hands, base, baseTree: await hands.clerk.treeOf(base, signal) };
      expect((await hands.work.start(signal)).passed).toBe(true);
    });

    afterAll(async () => {
      await world?.hands.discard();
      await world?.hands[Symbol.asyncDispose]();
      await world?.[Symbol.asyncDispose]();
    });

    beforeEach(async () => {
      await prepared.hands.clerk.materialise(prepared.base, signal);
      await prepared.hands.work.beginTask(prepared.base, signal);
    });

    for (const [role, part] of Object.entries(parts)) describe(role, () => part(() => prepared));
  });
}

function fromSource({ clerk }: Hands): (files: Files) => Promise<CommitId> {
  return async (files) => {
    const folder = await mkdtemp(join(tmpdir(), "tilth-source-"));
    try {
      const base = await makeSource(folder, files);
      expect(await clerk.open(base, signal)).toBe(false);
      await clerk.takePack(packOf(folder, base), base, signal);
      expect(await clerk.open(base, signal)).toBe(true);
      return base;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}
