import type { Basis } from "../../runner/app/opening/basis.js";
import type { HostPath } from "../../runner/base/ids.js";
import type { Seed } from "../../runner/seed/seed.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import type { Task } from "../../runner/session/state/prd.js";
import { handWrittenMeta, type SeedNotes } from "../../runner/session/state/seed-meta.js";
import { SessionStore } from "../../runner/session/store.js";
import type { Source } from "../../runner/source/preflight/preflight.js";
import type { CheckFunction } from "./fake-checks.js";
import { FakeHands } from "./fake-hands.js";
import { type GitRepo, never } from "./git-repo.js";
import { plantSeed } from "./plant-seed.js";

export const taskId = (n: number) => `T-${String(n).padStart(3, "0")}`;

export interface SeedOptions {
  readonly tasks?: number;
  readonly notes?: Partial<SeedNotes>;
}

/** A seed whose tasks have one criterion each, and one test that wants the task's module `feature_<n>`. */
export function seedOf({ tasks = 1, notes = {} }: SeedOptions): Seed {
  const numbers = Array.from({ length: tasks }, (_, index) => index + 1);
  return {
    prd: numbers.map(taskNumber),
    tests: numbers.map((n) => {
      const name = `test_${taskId(n).replace("-", "").toLowerCase()}_feature.py`;
      const source = `from feature_${n} import value\n\n\ndef test_value():\n    assert value == ${n}\n`;
      return { taskId: taskId(n), name, path: `tests/${name}`, source };
    }),
    notes: { tldr: "", scope_notes: "", blockers: [], open_questions: [], ...notes },
  };
}

function taskNumber(n: number): Task {
  return {
    id: taskId(n),
    title: `Title of ${n}`,
    description: `Description of ${n}.`,
    acceptance_criteria: [`Criterion of ${n}`],
    status: "pending",
  };
}

export interface Planted {
  readonly source: Source;
  readonly files: SessionFiles;
  readonly hands: FakeHands;
}

/** Prepares a session of such a seed in a real source, on hands of the host. */
export async function planted(
  repo: GitRepo,
  options: SeedOptions & { readonly check?: CheckFunction; readonly folder?: HostPath },
): Promise<Planted> {
  const source = await repo.preflight();
  const files = new SessionStore(repo.tilthHome).create({ source: source.workTree, baseCommit: source.head });
  const { worktree } = files.paths;
  const check = options.check ? { check: options.check } : {};
  const hands = await FakeHands.open({ folder: options.folder ?? repo.root, worktree, ...check });
  const [seed, basis] = [seedOf(options), { source, image: hands.image } as Basis];
  const meta = handWrittenMeta(seed.notes, new Date(0));
  await plantSeed({ basis, files, hands, seed, meta, signal: never });
  return { source, files, hands };
}
