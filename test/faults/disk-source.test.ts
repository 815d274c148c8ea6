import { join } from "node:path";
import { expect, it } from "vitest";
import { stepOf } from "../helpers/every.js";
import { type DiskCode, FaultyDisk } from "../helpers/faulty-disk.js";
import { GitRepo } from "../helpers/git-repo.js";
import { LoopSession } from "../helpers/loop-session.js";
import { accept, solve } from "../helpers/loop-turns.js";

/** Runs a session of one task whose source fails at tilth's own `nth` call; null if there was no such call. */
async function fall(nth: number, code: DiskCode): Promise<string | null> {
  using repo = GitRepo.withCommit();
  const session = await LoopSession.inSource(repo);
  const ref = `session/${session.files.id}`;
  const seed = repo.git("rev-parse", ref).trim();
  using disk = new FaultyDisk({ folder: join(repo.path, ".git"), code, nth, forGood: false });
  const run = await session.run({ worker: [solve(1)], evaluator: [accept] });
  if (!disk.happened) return null;
  const at = `${code} at call ${nth} (${disk.calls[nth - 1]})`;
  expect(["all_done", "infra"], at).toContain(run.reason);
  const tip = repo.git("rev-parse", ref).trim();
  const prepared = run.of("commit_prepared").map(({ sha }) => `${sha}`);
  expect([seed, ...prepared], at).toContain(tip);
  for (const { sha } of run.of("commit")) expect(sha, at).toBe(tip);
  expect(session.statuses, at).toEqual([run.of("task_done").length === 1 ? "done" : "pending"]);
  repo.git("fsck", "--strict", "--no-dangling");
  return at;
}

/** The faults take turns at two of three calls; EVERY=1 lets each call meet them both. */
const faults = ["ENOSPC", "EIO"] as const;
const step = stepOf(faults.length + 1);

it.each(faults.map((code, at) => [code, (at % step) + 1] as const))(
  "a source whose disk fails with %s ends the run as infra, its branch at a commit that the log knows",
  async (code, first) => {
    const fell: string[] = [];
    for (let nth = first; ; nth += step) {
      const at = await fall(nth, code);
      if (at === null) break;
      fell.push(at);
    }
    expect(fell.length, fell.join("\n")).toBeGreaterThan(3);
  },
  600_000,
);
