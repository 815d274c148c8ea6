import { expect, test } from "vitest";
import { treeId } from "../../../../runner/base/ids.js";
import type { ClerkShell, CommandEnd, Run } from "../../../../runner/hands/roles/clerk/shell/clerk-shell.js";
import { clerkLimits } from "../../../../runner/hands/roles/clerk/shell/limits.js";
import { Snapshots } from "../../../../runner/hands/roles/clerk/snapshot.js";
import { gather } from "../../../../runner/hands/roles/clerk/worktree/gather.js";

const { signal } = new AbortController();
const last = treeId("a".repeat(40));
const limits = { ...clerkLimits(1e9), worktreeNames: 1_000, lookSeconds: 3 };
const nothing: CommandEnd = { exit: 0, timedOut: false, stdout: Buffer.alloc(0), stderr: "" };

/** A shell whose scripts end as `script` says. */
function shellOf(script: (run: Run) => Promise<CommandEnd>): ClerkShell {
  const shell = { attemptScript: (_: string, run: Run) => script(run), git: async () => Buffer.alloc(0) };
  return shell as unknown as ClerkShell;
}

async function problemsOf(script: (run: Run) => Promise<CommandEnd>) {
  const made = await new Snapshots(shellOf(script), limits).take(last, signal);
  return made.ok ? [] : made.problems;
}

test("a git that does not come to an end is the worktree's problem, not the engine's", async () => {
  const slow = async (run: Run) => ({ ...nothing, exit: null, timedOut: run.timeoutMs === 3_000 });
  expect(await problemsOf(slow)).toEqual([{ path: ".", why: "could not be looked through within 3 seconds" }]);
});

test("a git that dies is no problem of the worktree", async () => {
  await expect(problemsOf(async () => ({ ...nothing, exit: 137 }))).rejects.toMatchObject({ code: "infra" });
});

test("more names than a brain should hold are refused as they come", async () => {
  let taken = 0;
  const endless = async ({ onData, signal: stopped }: Run) => {
    for (; !stopped.aborted; taken += 1) await onData?.(Buffer.from(`f 644 0 0\0${"d/".repeat(20)}${taken}\0\0`));
    throw new Error("stopped");
  };
  expect(await problemsOf(endless)).toEqual([{ path: ".", why: "has more than 1000 bytes of names" }]);
  expect(taken).toBeLessThan(30);
});

/** Prints entries as the look's script does, in pieces. */
function printed(entries: readonly (readonly [type: string, path: string])[], untracked: string): Buffer {
  const walked = entries.map(([type, path]) => `${type} 755 0 0\0${path}\0\0`);
  return Buffer.from([...walked, "status\0\0\0", `? ${untracked}\0`].join(""), "latin1");
}

test("files left out far down are reported by their topmost folder that git does not have, at little cost", async () => {
  const folders = Array.from({ length: 98 }, (_, at) => ["d", "folder/".repeat(at + 1).slice(0, -1)] as const);
  const there = "folder/".repeat(98);
  const files = Array.from({ length: 100_000 }, (_, at) => ["f", `${there}${at}.pyc`] as const);
  const apart = [["d", "folder/apart"] as const, ["d", "folder/apart/x"] as const, ["f", "folder/apart/x/y"] as const];
  const said = printed([...folders, ["f", `${there}x.py`], ...files, ...apart], `${there}x.py`);
  const before = process.cpuUsage();
  const { leftOut } = await gather(
    shellOf(async ({ onData }) => ({ ...nothing, said: await onData?.(said) })),
    {
      limits: { ...limits, worktreeNames: 1e9 },
      index: "stays",
      signal,
    },
  );
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(3);
  expect(leftOut).toHaveLength(100_001);
  expect(leftOut).toContain("folder/apart/");
});
