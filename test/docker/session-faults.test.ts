import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repoVolumeOf } from "../../runner/hands/docker/container/labels.js";
import type { RunEnd, SessionFiles } from "../../runner/index.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { canaryKey } from "../helpers/scripted-model.js";
import { formsOf } from "../helpers/session-disk.js";
import { type ContainerFacts, kill, seenRunning, tellsOf } from "../helpers/session-faults.js";
import { deepFolders, python } from "../helpers/session-hostile-worker.js";
import { of, oracle, wholeLog } from "../helpers/session-oracle.js";
import { honestPart, partsProject, partTask, partTest, testPath } from "../helpers/session-parts.js";
import { bash, Play, present, reply, writeFile } from "../helpers/session-play.js";
import { SessionWorld } from "../helpers/session-world.js";

const lost = /environment was lost during this call and has been restarted/;
const encoded = ["", "k", "ey"].map((before) => Buffer.from(`${before}${canaryKey}!`).toString("base64"));
const echoed = [canaryKey, Buffer.from(canaryKey).toString("hex"), ...encoded].join(" ");

const play = new Play({
  "T-001": [
    { turn: { status: 500, body: { error: { message: `the key ${canaryKey} met an internal error` } } } },
    {
      turn: {
        content: `Your key is ${canaryKey}`,
        reasoning: `They gave me ${echoed}`,
        calls: [writeFile("echo.txt", `key: ${canaryKey}\n`), bash(`echo ${canaryKey} > /tmp/kept; sleep 111`)],
      },
    },
    reply(
      [bash("cat echo.txt; rm echo.txt; cat /tmp/kept; git log --oneline | wc -l"), honestPart(1), present()],
      /wrote/,
      lost,
    ),
  ],
  "T-002": [reply([honestPart(2), bash("sleep 2.22; echo slept")]), reply([present()], /wrote/, /^exit code 0\nslept/)],
  "T-003": [reply([honestPart(3), present()]), reply([present()], /wrote/, /check_died/)],
  "T-004": [
    reply([writeFile("unfinished.txt", "half done\n"), python(deepFolders), bash("sleep 444")]),
    reply([bash("sleep 444")], /wrote/, /exit code 0/, lost),
    reply([bash("sleep 444"), bash("echo not run")], lost),
  ],
});

/** A test that takes a while once it passes, so that its task's check and every later one can be met while it runs. */
function slowTask(n: number) {
  const source = `import subprocess\n\n${partTest(n)}    subprocess.run(["sleep", "4.33"])\n`;
  return partTask(n, { test: { name: testPath(n).slice("tests/".length), source } });
}

let world: SessionWorld;
let files: SessionFiles;
let end: RunEnd;
let log: readonly TilthEvent[];
const told: ContainerFacts[] = [];
const faults: Promise<unknown>[] = [];
const submitted = new Set<string>();

async function killRunning(role: string, command: string, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) await kill(world, await seenRunning(world, role, command));
}

/** Faults of the engine's containers, by the worker's call at which they happen. */
const faultAt: Readonly<Record<string, () => Promise<unknown>>> = {
  "T-001 bash sleep 111": async () => {
    await seenRunning(world, "work", "sleep 111");
    told.push(await tellsOf(world, await world.containers()));
    await killRunning("work", "sleep 111");
  },
  "T-002 bash sleep 2.22": async () => {
    for (const id of await world.containers("clerk")) await kill(world, id);
  },
  "T-002 submit_case": async () => {
    const id = await seenRunning(world, "check", "sleep 4.33");
    told.push(await tellsOf(world, [id]));
    await kill(world, id);
  },
  "T-003 submit_case": () => killRunning("check", "sleep 4.33", 2),
  "T-004 bash sleep 444": () => killRunning("work", "sleep 444"),
};

function strike(event: TilthEvent): void {
  if (event.type !== "tool_call") return;
  const { task_id = "", tool, args } = event.payload;
  const slept = /sleep [\d.]+/.exec(JSON.stringify(args))?.[0] ?? "";
  // only the first of a task
  if (tool === "submit_case" && submitted.has(task_id)) return;
  if (tool === "submit_case") submitted.add(task_id);
  const fault = faultAt[[task_id, tool, slept].join(" ").trim()];
  if (fault) faults.push(fault());
}

beforeAll(async () => {
  world = await SessionWorld.open({
    files: partsProject(4),
    tasks: [partTask(1), slowTask(2), partTask(3), partTask(4)],
    script: { worker: play.worker },
    // each of its runs waits for the slow test
    env: { TILTH_COUNTER_CHECK_SECONDS: "5" },
  });
  files = await world.stage();
  world.onEvent(strike);
  end = await world.run(files);
  await Promise.all(faults);
  log = await wholeLog(files);
}, 400_000);
afterAll(() => world?.[Symbol.asyncDispose]());

test("all the faults struck, and every task ended as its work deserved", async () => {
  expect(play.surprises).toEqual([]);
  expect(faults).toHaveLength(7);
  expect(files.loadPrd().map(({ status }) => status)).toEqual(["done", "done", "done", "failed"]);
  await oracle(world, files, end);
});

test("a work container killed during a call costs that call, and the workspace is as it was", () => {
  const after = of(log, "tool_result").find(({ task_id, iter }) => task_id === "T-001" && iter === 2)?.content;
  expect(after).toMatch(/^exit code 0\nkey: \[masked key\]\n/);
  expect(after).toMatch(/\/tmp\/kept: No such file or directory\n2\n?$/);
  expect(of(log, "hands_lost").map(({ task_id, role, during }) => `${task_id} ${role} ${during}`)).toEqual([
    "T-001 work bash",
    "T-004 work bash",
    "T-004 work bash",
    "T-004 work bash",
  ]);
});

test("a clerk killed between its calls is made again, with all that the session has", () => {
  expect(of(log, "commit").map(({ task_id }) => task_id)).toContain("T-002");
});

test("a check killed while it runs is tried again, and one killed twice fails that try alone", () => {
  const checks = of(log, "check_run").filter(({ task_id }) => task_id === "T-002" || task_id === "T-003");
  const [first, died, again] = checks;
  expect(checks.map(({ passed }) => passed)).toEqual([true, false, true]);
  expect(first?.task_id).toBe("T-002");
  expect(died?.checks.map(({ reason }) => reason)).toContain("check_died");
  expect(again?.tree).toBe(died?.tree);
});

test("a work container lost three times in a task ends that task, and its work is kept", () => {
  expect(end.stop.reason).toBe("hands_lost");
  expect(files.loadCheckpoint().status).toBe("failed");
  expect(readFileSync(files.paths.partialPatch, "utf8")).toContain("+half done");
  expect(files.progress().at(-1)).toBe("T-004\tfailed:hands_lost\tPart 4");
});

test("the key is in no container's description, environment or command line", () => {
  expect(new Set(told.flatMap(({ roles }) => roles))).toEqual(new Set(["work", "clerk", "check"]));
  const text = told.map((each) => each.text).join("\n");
  for (const running of ["sleep 111", "sleep 4.33"]) expect(text).toContain(running);
  for (const form of formsOf(canaryKey)) expect(text).not.toContain(form);
});

test("a key that the endpoint echoes is masked before it is used, kept or sent back", () => {
  const [, second] = of(log, "model_call");
  expect(of(log, "model_retry")[0]?.reason).not.toContain(canaryKey);
  const first = of(log, "model_call")[0];
  expect(first?.content).toBe("Your key is [masked key]");
  expect(first?.reasoning).toContain("[masked key]");
  expect(second).toBeDefined();
  const env = readFileSync(join(world.repo.tilthHome, ".env"), "utf8");
  expect(env).toContain(canaryKey);
});

test("a failed session is discarded whole, whatever its worker left behind", async () => {
  const next = await world.stage({ inFlight: "discard" });
  expect(world.sessions()).toEqual([next.id]);
  expect(readdirSync(join(world.repo.tilthHome, "sessions"))).toEqual([next.id]);
  expect(world.repo.git("for-each-ref", "--format=%(refname)").trim().split("\n")).toEqual([
    "refs/heads/main",
    `refs/heads/session/${next.id}`,
  ]);
  const { Volumes } = await world.engine.docker.listVolumes();
  expect(Volumes.filter(({ Name }) => Name === repoVolumeOf(files.id))).toEqual([]);
  expect(world.repo.git("worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(2);
  expect(world.said.join("\n")).toContain(files.id);
});
