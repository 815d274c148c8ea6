import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { eventSchema, type TilthEvent } from "../../runner/session/log/events.js";
import type { CliStage } from "./cli-stage.js";
import { git, gitLine } from "./fake-git.js";
import { soon } from "./soon.js";

/** The events in a session's log at this moment; a line that is still being written is left out. */
export function eventsNow(stage: CliStage, id: string): TilthEvent[] {
  const path = join(stage.tilth.home, "sessions", id, "events.jsonl");
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => eventSchema.parse(JSON.parse(line)));
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/**
 * Checks that the remains of a broken-off run agree: nothing runs, and it can be resumed. A run that ended `atOnce` may have
 * had a container made and not started yet: it stays until the next start of the session removes it.
 */
export async function expectResumable(stage: CliStage, id: string, { atOnce = false } = {}): Promise<void> {
  const left = async () => (await stage.onEngine("containers")).filter((one) => !atOnce || !one.endsWith(" created"));
  // containers of a run that was stopped at once take a while to notice
  await soon(left).toEqual([]);
  const folder = join(stage.tilth.home, "sessions", id);
  const inside = { cwd: stage.source };
  const state = JSON.parse(readFileSync(join(folder, "checkpoint.json"), "utf8"));
  const prd = JSON.parse(readFileSync(join(folder, "prd.json"), "utf8")) as { status: string }[];
  const events = eventsNow(stage, id);
  const commits = events.flatMap((event) =>
    event.type === "commit" || event.type === "seed_committed" ? [event.payload.sha] : [],
  );
  expect(state.status).toBe("running");
  expect(await gitLine(["rev-parse", `session/${id}`], inside)).toBe(commits.at(-1));
  expect(prd.filter(({ status }) => status === "done")).toHaveLength(
    events.filter(({ type }) => type === "task_done").length,
  );
  expect(prd.filter(({ status }) => status === "failed")).toEqual([]);
  await git(["fsck", "--connectivity-only", "--no-dangling"], inside);
  await git(["status", "--porcelain"], { cwd: join(folder, "workspace") });
  expect(readdirSync(folder).filter((name) => /\.tmp$|\.part$|\.claim$/.test(name))).toEqual([]);
  const listed = JSON.parse((await stage.tilth.run(["sessions", "--json"])).stdout);
  expect(listed).toMatchObject([{ id, held_by: null, problem: null }]);
  expect(existsSync(join(stage.source, ".git/refs/heads/session", `${id}.lock`))).toBe(false);
}
