import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { someOf } from "../helpers/every.js";
import { SecondEngine } from "../helpers/second-engine.js";
import { seenRunning } from "../helpers/session-faults.js";
import { of, oracle, wholeLog } from "../helpers/session-oracle.js";
import { honestPart, partsProject, partTask, partTest, testPath } from "../helpers/session-parts.js";
import { bash, Play, present, reply } from "../helpers/session-play.js";
import { SessionWorld } from "../helpers/session-world.js";

const ways = [
  ["a tool call", "SIGTERM"],
  ["a tool call", "SIGKILL"],
  ["a check", "SIGTERM"],
  ["a check", "SIGKILL"],
  ["a commit", "SIGTERM"],
  ["a commit", "SIGKILL"],
  ["a pack", "SIGKILL"],
] as const;
type Moment = (typeof ways)[number][0];

let engine: SecondEngine;

beforeAll(async () => {
  engine = await SecondEngine.start();
});
afterAll(() => engine?.[Symbol.asyncDispose]());

/** The test of task 2 takes a while once it passes, so that its check can be met while it runs. */
function slowTask() {
  const source = `import subprocess\n\n${partTest(2)}    subprocess.run(["sleep", "3.02"])\n`;
  return partTask(2, { test: { name: testPath(2).slice("tests/".length), source } });
}

/** Has a second task only if that task's check is to be met. */
async function world(moment: Moment): Promise<SessionWorld> {
  const first = { "a tool call": "sleep 101", "a pack": "head -c 24000000 /dev/urandom > parts/bulk" };
  const command = moment in first ? first[moment as keyof typeof first] : "true";
  const play = new Play({
    "T-001": [reply([honestPart(1), bash(command)]), reply([present()])],
    "T-002": [reply([honestPart(2), present()]), reply([present()])],
  });
  return SessionWorld.open({
    files: partsProject(2),
    tasks: [partTask(1), ...(moment === "a check" ? [slowTask()] : [])],
    script: { worker: play.worker },
    // every variant of the slow test takes as long
    env: { DOCKER_HOST: engine.dockerHost, TILTH_COUNTER_CHECK_SECONDS: "4" },
  });
}

/** Restarts the engine once, in the middle of that moment. */
function restartIn(session: SessionWorld, moment: Moment, signal: "SIGTERM" | "SIGKILL"): () => Promise<void> {
  let struck: Promise<void> | null = null;
  const restart = async (met: Promise<unknown> = Promise.resolve()) => {
    await met;
    await engine.stop(signal);
    await engine.up();
  };
  session.onEvent(({ type, payload }) => {
    if (struck) return;
    const tool = type === "tool_call" && "tool" in payload ? payload.tool : "";
    const task = "task_id" in payload ? payload.task_id : "";
    if (moment === "a tool call" && tool === "bash") struck = restart(seenRunning(session, "work", "sleep 101"));
    if (moment === "a check" && tool === "submit_case" && task === "T-002")
      struck = restart(seenRunning(session, "check", "sleep 3.02"));
    if (moment === "a commit" && type === "commit_prepared") struck = restart();
    if (moment === "a pack" && type === "commit_prepared") struck = restart(packComes(session));
  });
  return async () => {
    if (!struck) throw new Error(`the session never came to ${moment}`);
    await struck;
  };
}

/** Waits until a part of the pack has come, and not all. */
async function packComes({ repo }: SessionWorld): Promise<void> {
  const arriving = () => existsSync(join(repo.path, ".git/worktrees/workspace/incoming"));
  while (!arriving()) await setImmediate();
}

// a gate tries two of the moments, with both signals among them
test.each(someOf(ways, 4))(
  "an engine that restarts in the middle of %s (%s) costs no task and makes no verdict",
  async (moment, by) => {
    await using session = await world(moment);
    const files = await session.stage();
    const struck = restartIn(session, moment, by);
    const end = await session.run(files);
    await struck();
    const log = await wholeLog(files);
    expect(["all_done", "infra"], end.stop.detail).toContain(end.stop.reason);
    expect(of(log, "task_failed")).toEqual([]);
    expect(of(log, "check_run").map(({ passed }) => passed)).not.toContain(false);
    await oracle(session, files, end);
    if (end.stop.reason === "infra") expect((await session.resume(files)).stop.reason).toBe("all_done");
    expect(new Set(files.loadPrd().map(({ status }) => status))).toEqual(new Set(["done"]));
    if (moment === "a tool call") expect(of(log, "hands_lost").map(({ during }) => during)).toEqual(["bash"]);
    if (moment === "a pack") expect(end.stop.detail).toContain("the clerk container was lost");
  },
  240_000,
);
