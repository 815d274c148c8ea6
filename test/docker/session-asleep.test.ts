import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunEnd, SessionFiles } from "../../runner/index.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { holdUp } from "../helpers/held-up.js";
import { seenRunning } from "../helpers/session-faults.js";
import { of, oracle, wholeLog } from "../helpers/session-oracle.js";
import { honestPart, partsProject, partTask, partTest, testPath } from "../helpers/session-parts.js";
import { bash, Play, present, reply } from "../helpers/session-play.js";
import { SessionWorld } from "../helpers/session-world.js";

// a session whose process is stopped at each kind of step, for longer than its containers live without it

const leaseSeconds = 2;
const sleepMs = 2_800;

const play = new Play({
  "T-001": [reply([bash("sleep 101")]), reply([honestPart(1), present()], /started again|restarted/)],
});

let world: SessionWorld;
let files: SessionFiles;
let end: RunEnd;
let log: readonly TilthEvent[];
const slept: string[] = [];

function sleepsIn(step: string): void {
  if (slept.includes(step)) return;
  slept.push(step);
  holdUp(sleepMs);
}

function sleeper({ type, payload }: TilthEvent): void {
  const tool = type === "tool_call" ? payload.tool : "";
  if (type === "isolation_receipt") sleepsIn("model call");
  if (tool === "bash") void seenRunning(world, "work", "sleep 101").then(() => sleepsIn("tool call"));
  if (tool === "write_file") sleepsIn("before a tool call");
  if (tool === "submit_case") {
    sleepsIn("snapshot");
    void seenRunning(world, "check", "sleep 3.02").then(() => sleepsIn("check"));
  }
  if (type === "commit_prepared") sleepsIn("import");
}

beforeAll(async () => {
  const source = `import subprocess\n\n${partTest(1)}    subprocess.run(["sleep", "3.02"])\n`;
  const name = testPath(1).slice("tests/".length);
  world = await SessionWorld.open({
    files: partsProject(1),
    tasks: [partTask(1, { test: { name, source } })],
    script: { worker: play.worker },
    // each of its runs waits for the slow test
    env: { TILTH_COUNTER_CHECK_SECONDS: "4" },
  });
  files = await world.stage();
  world.onEvent(sleeper);
  end = await world.run(files, { leaseSeconds });
  log = await wholeLog(files);
});
afterAll(() => world?.[Symbol.asyncDispose]());

test("a session that sleeps at each kind of step ends as if it had not", async () => {
  expect([end.stop.reason, end.stop.detail]).toEqual(["all_done", ""]);
  expect(slept).toEqual(["model call", "tool call", "before a tool call", "snapshot", "check", "import"]);
  expect(play.surprises).toEqual([]);
  expect(of(log, "commit").map(({ task_id }) => task_id)).toEqual(["T-001"]);
  expect(of(log, "check_run").map(({ passed }) => passed)).toEqual([true]);
  await oracle(world, files, end);
});

test("the containers that ended meanwhile are recorded as asleep, count as no loss, and nobody is told", () => {
  const losses = of(log, "hands_lost");
  expect(losses.filter(({ asleep }) => asleep !== true)).toEqual([]);
  expect(new Set(losses.map(({ role }) => role))).toEqual(new Set(["work", "clerk", "check"]));
  expect(end.summary.hands_lost).toBe(0);
  expect(world.said.filter((line) => /lost|asleep|restarted/.test(line))).toEqual([]);
});
