import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { packageFolder } from "../../runner/base/package-folder.js";
import type { CliStage } from "./cli-stage.js";
import { gitLine } from "./fake-git.js";
import { idOf, nameOf, testOf } from "./interviews.js";
import type { CommandEnd } from "./tilth.js";

const killer = join(packageFolder, "test", "helpers", "killer.js");

export interface HeldInterview extends CommandEnd {
  /** the names it changed on the disk and the programs it started, from the first step that counts */
  readonly steps: readonly string[];
}

export interface Blow {
  readonly signal: "SIGKILL" | "SIGINT";
  /** words in the first step that counts; the steps before differ from run to run */
  readonly from: string;
  /** the number of the fatal step; 0 for none */
  readonly fatal: number;
}

/** Counts from the making of a session's worktree on. */
export const firstSeed = '"worktree","add"';

/** Counts from the first test file on that is added to a session's seed. */
export const addedSeed = (number: number) => `/seed/${nameOf(number)}.`;

/** Holds an interview without a person, cut short at a step. */
export async function holdUntil(stage: CliStage, flags: readonly string[], blow: Blow): Promise<HeldInterview> {
  const { tilth, source } = stage;
  const answers = join(tilth.root, "answers.txt");
  writeFileSync(answers, "");
  const log = join(tilth.root, "steps");
  writeFileSync(log, "");
  const { signal, from, fatal } = blow;
  const told = { KILLER_LOG: log, KILLER_FROM: from, KILLER_STEP: String(fatal), KILLER_SIGNAL: signal };
  const env = { NODE_OPTIONS: `--import ${killer}`, ...told };
  const args = ["prep-feature", source, "--brief", "Answers.", "--answers", answers, ...flags];
  const ended = await tilth.start(args, env, signal === "SIGINT").ended;
  await containersEnd(stage);
  const steps = readFileSync(log, "utf8").trimEnd().split("\n");
  expect(steps[0], `no step held ${from}\n${ended.stderr}`).toContain(from);
  return { ...ended, steps };
}

/**
 * Waits until the containers of a killed process have ended. One that was made and not started stays: the next start
 * removes it.
 */
async function containersEnd(stage: CliStage): Promise<void> {
  const running = async () => (await stage.onEngine("containers")).filter((line) => !line.endsWith("created"));
  while ((await running()).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

export function stateOf({ tilth }: CliStage, id: string) {
  const folder = join(tilth.home, "sessions", id);
  const json = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));
  return {
    folder,
    status: json("checkpoint.json").status as string,
    last: json("checkpoint.json").last_commit as string,
    ids: existsSync(join(folder, "prd.json")) ? json("prd.json").map((task: { id: string }) => task.id) : [],
    seed: existsSync(join(folder, "seed")) ? readdirSync(join(folder, "seed")).sort() : [],
  };
}

/** Expects log, branch and worktree to agree on a session with these tasks. */
export async function expectWhole(stage: CliStage, id: string, numbers: readonly number[], where = ""): Promise<void> {
  const { ids, seed, status, last, folder } = stateOf(stage, id);
  expect({ ids, seed, status }, where).toEqual({
    ids: numbers.map(idOf),
    seed: numbers.map(nameOf),
    status: "prepared",
  });
  const inside = { cwd: stage.source };
  expect(await gitLine(["rev-parse", `session/${id}`], inside)).toBe(last);
  for (const number of numbers) {
    expect(await gitLine(["show", `${last}:tests/${nameOf(number)}`], inside)).toBe(testOf(number).trimEnd());
    expect(readFileSync(join(folder, "workspace", "tests", nameOf(number)), "utf8")).toBe(testOf(number));
  }
  expect(readdirSync(join(folder, "workspace", "tests")).sort()).toEqual(numbers.map(nameOf));
}
