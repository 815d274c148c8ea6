import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostPath } from "../runner/base/ids.js";
import { type SessionFiles, SessionStore, stageSeed } from "../runner/index.js";
import type { Settings } from "../runner/settings/settings.js";
import type { Bench } from "./line.js";

/** A task whose test wants `pkg/answer_<n>.py` to hold `answer() == <n>`. */
export interface AnswerTask {
  readonly number: number;
  readonly module: string;
  readonly testName: string;
}

export function answerTask(number: number): AnswerTask {
  const padded = String(number).padStart(3, "0");
  return { number, module: `pkg/answer_${number}.py`, testName: `test_t${padded}_answer.py` };
}

export function answerText(number: number, remark = ""): string {
  return `def answer():\n    return ${number}${remark === "" ? "" : `  # ${remark}`}\n`;
}

export function answerTest(number: number): string {
  const lines = [
    `from pkg.answer_${number} import answer`,
    "",
    "",
    "def test_answer():",
    `    assert answer() == ${number}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** A folder with a seed of `count` such tasks. */
export function writeSeed(bench: Bench, count: number): string {
  const folder = mkdtempSync(join(bench.folder, "seed-"));
  mkdirSync(join(folder, "tests"));
  const tasks = Array.from({ length: count }, (_, at) => answerTask(at + 1));
  for (const { number, testName } of tasks) writeFileSync(join(folder, "tests", testName), answerTest(number));
  const prd = tasks.map(({ number, module }) => ({
    id: `T-${String(number).padStart(3, "0")}`,
    title: `Answer ${number}`,
    description: `A new module ${module}.`,
    acceptance_criteria: [`answer() in ${module} gives ${number}`],
    status: "pending",
  }));
  writeFileSync(join(folder, "prd.json"), JSON.stringify(prd));
  return folder;
}

/** A prepared session of that seed on `source`. */
export async function stage(bench: Bench, source: string, seed: string): Promise<SessionFiles> {
  const { settings, signal } = bench;
  const staged = await stageSeed({
    settings,
    source,
    from: seed,
    inFlight: "keep",
    trustSource: false,
    signal,
    say: () => undefined,
  });
  return new SessionStore(hostPath(settings.home)).open(staged.id);
}

/** The environment variables for a process of its own with these settings. */
export function environmentOf(settings: Settings, baseUrl: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    TILTH_HOME: settings.home,
    TILTH_BASE_URL: baseUrl,
    TILTH_API_KEY: "none",
    TILTH_WORKER_MODEL: "scripted-worker",
    TILTH_EVALUATOR_MODEL: "scripted-evaluator",
    TILTH_MAX_TOKENS: "1000000000000",
  };
}
