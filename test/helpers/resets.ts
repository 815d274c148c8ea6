import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { repoVolumeOf } from "../../runner/hands/docker/container/labels.js";
import type { CliStage } from "./cli-stage.js";
import { gitLine } from "./fake-git.js";
import { differences } from "./git-repo.js";
import { snapshotOf } from "./session-disk.js";

/** Everything that a reset could touch, as it stands now: the source without its objects, and every session. */
export interface Standing {
  readonly source: Map<string, string>;
  readonly sessions: Map<string, string>;
}

export function standing({ source, tilth }: CliStage): Standing {
  const sessions = join(tilth.home, "sessions");
  const objects = ([path]: [string, string]) => !path.startsWith(".git/objects/");
  return {
    source: new Map([...snapshotOf(source)].filter(objects)),
    sessions: existsSync(sessions) ? snapshotOf(sessions) : new Map(),
  };
}

/** Paths that differ; locks that were taken and given back leave nothing. */
export function changed(before: Standing, after: Standing): string[] {
  return [...differences(before.source, after.source), ...differences(before.sessions, after.sessions)];
}

/** Expects the session to be gone, and all else to be as it was when `before` was taken. */
export async function expectGone(stage: CliStage, id: string, before: Standing): Promise<void> {
  expect(changed(before, standing(stage))).toEqual([]);
  expect(stage.tilth.sessions()).not.toContain(id);
  const onEngine = await stage.onEngine();
  expect(onEngine.filter((line) => line.startsWith("container") || line.includes(repoVolumeOf(id)))).toEqual([]);
}

export function tipOf({ source }: CliStage, id: string): Promise<string> {
  return gitLine(["rev-parse", `session/${id}`], { cwd: source });
}

export function pathIn({ tilth }: CliStage, id: string, ...names: readonly string[]): string {
  return join(tilth.home, "sessions", id, ...names);
}

export function rewrite(path: string, change: object): void {
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...change }));
}

/** Runs the command that the output names, as a person would type it. */
export function typed(command: string): void {
  execFileSync("sh", ["-c", command]);
}
