import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Turn } from "../../runner/demo/script.js";
import { repoVolumeOf } from "../../runner/hands/labels.js";
import { asSessionId } from "../../runner/support/ids.js";
import { packageFolder } from "../../runner/support/package-folder.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { gitLine } from "../helpers/fake-git.js";
import { startModel } from "../helpers/scripted-model.js";
import { until } from "../helpers/stopped.js";
import { type Ended, Tilth } from "../helpers/tilth.js";

// `tilth resume` as a person uses it: another process, the real engine, whatever ended the one before

let model: Awaited<ReturnType<typeof startModel>>;
let worker: Turn[];

beforeEach(async () => {
  worker = [];
  const own = worker;
  model = await startModel({ worker: () => own.shift() ?? { quiet: "Done." } });
});
afterEach(() => model[Symbol.asyncDispose]());

function next(...turns: readonly Turn[]): void {
  worker.splice(0, worker.length, ...turns);
}

const opened = (tasks: number) => CliStage.open(Tilth.endpoint(model), tasks);
const hang: Turn = { hang: true };
const quiet: Turn = { quiet: "I am done." };

const sessionFile = ({ tilth }: CliStage, id: string, name: string) => join(tilth.home, "sessions", id, name);
const tokensOf = (stage: CliStage, id: string): number =>
  JSON.parse(readFileSync(sessionFile(stage, id, "checkpoint.json"), "utf8")).tokens;
const subjects = (stage: CliStage, id: string) =>
  gitLine(["log", "--format=%s", `session/${id}`], { cwd: stage.source }).then((text) => text.split("\n"));

async function expectDone(stage: CliStage, id: string, ended: Ended, tasks: number): Promise<void> {
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  const titles = Array.from({ length: tasks }, (_, at) => `T-00${tasks - at}: Answer ${tasks - at}`);
  const seed = `seed: ${tasks} task${tasks === 1 ? "" : "s"} + ${tasks} acceptance test${tasks === 1 ? "" : "s"}`;
  expect(await subjects(stage, id)).toEqual([...titles, seed, "change"]);
  const verified = await stage.tilth.run(["verify", id]);
  expect(verified, verified.stdout).toMatchObject({ code: 0 });
  expect(await stage.onEngine()).toEqual([]);
}

test("a run that was killed is gone on with, what is done not being done again", async () => {
  await using stage = await opened(3);
  const id = await stage.prepared();
  next(...doing(1), { calls: [["write_file", { path: "half.txt", content: "half\n" }]] }, hang);
  const running = stage.tilth.start(["run", stage.source]);
  await running.said(/write_file half.txt/);
  await until(() => existsSync(sessionFile(stage, id, "workspace/half.txt")));
  running.process.kill("SIGKILL");
  await running.ended;
  const before = tokensOf(stage, id);
  next(...doing(2), ...doing(3));
  const resumed = await stage.tilth.run(["resume"]);
  expect(resumed.stderr).toContain(`the latest session is ${id}, running: Answer 1\n`);
  expect(resumed.stderr).toContain(
    "continuing; the last run was cut short\n  T-001 done: Answer 1\n  T-002 to do: Answer 2\n",
  );
  await expectDone(stage, id, resumed, 3);
  expect(await gitLine(["show", `session/${id}:half.txt`], { cwd: stage.source })).toBe("half");
  expect(tokensOf(stage, id)).toBeGreaterThan(before);
  expect(await stage.tilth.run(["resume", id])).toMatchObject({
    code: 0,
    stdout: `session ${id} is all done; there is nothing to resume\n`,
  });
});

test("a task that failed is tried again with a fresh budget, its work still there and its tokens still counted", async () => {
  await using stage = await opened(1);
  const id = await stage.prepared();
  next({ calls: [["write_file", { path: "half.txt", content: "half\n" }]] }, quiet, quiet, quiet);
  const failed = await stage.tilth.run(["run", stage.source]);
  expect(failed, failed.stderr).toMatchObject({ code: 1 });
  expect(failed.stdout).toContain(`then tilth resume ${id}`);
  const before = tokensOf(stage, id);
  next({ calls: [["read_file", { path: "half.txt" }]] }, ...doing(1));
  const resumed = await stage.tilth.run(["--resume", id]);
  expect(resumed.stderr).toContain(`(this is now spelled: tilth resume ${id})`);
  expect(resumed.stderr).toContain("continuing; the last run stopped: no_case\n  T-001 again: Answer 1\n");
  await expectDone(stage, id, resumed, 1);
  expect(tokensOf(stage, id)).toBeGreaterThan(before);
  const progress = readFileSync(sessionFile(stage, id, "progress.txt"), "utf8");
  expect(progress).toBe("T-001\tfailed:no_case\tAnswer 1\nT-001\tdone\tAnswer 1\n");
});

test("a cap is met again unless it is raised, and says so", async () => {
  await using stage = await opened(2);
  const id = await stage.prepared();
  const tight = { TILTH_MAX_TOKENS: "1" };
  next(...doing(1));
  expect(await stage.tilth.run(["run", stage.source], tight)).toMatchObject({ code: 4 });
  const again = await stage.tilth.run(["resume", id], tight);
  expect(again, again.stderr).toMatchObject({ code: 4 });
  expect(again.stdout).toContain(`→ raise TILTH_MAX_TOKENS, then tilth resume ${id}`);
  next(...doing(2));
  await expectDone(stage, id, await stage.tilth.run(["resume", id]), 2);
});

test("an accepted tree becomes its commit without a model, whether the engine still has it or the worktree alone", async () => {
  const killer = join(packageFolder, "test", "helpers", "killer.js");
  for (const pruned of [false, true]) {
    await using stage = await opened(1);
    const id = await stage.prepared();
    next(...doing(1));
    const log = join(stage.tilth.root, "steps");
    writeFileSync(log, "");
    const env = { NODE_OPTIONS: `--import ${killer}`, KILLER_LOG: log, KILLER_FROM: "index-pack", KILLER_STEP: "1" };
    expect(await stage.tilth.run(["run", stage.source], env)).toMatchObject({ code: null });
    expect(await subjects(stage, id)).toHaveLength(2);
    if (pruned) await removeVolume(stage, id);
    const asked = model.requests.length;
    const resumed = await stage.tilth.run(["resume", id]);
    expect(model.requests.length).toBe(asked);
    await expectDone(stage, id, resumed, 1);
  }
});

/** As somebody's prune would; a container that was killed with its brain may hold it a moment longer. */
async function removeVolume(stage: CliStage, id: string): Promise<void> {
  while ((await stage.onEngine("containers")).some((line) => !line.endsWith("created")))
    await new Promise((resolve) => setTimeout(resolve, 50));
  const { docker } = stage.engine;
  const session = asSessionId(id);
  if (session === null) throw new Error(`not an id: ${id}`);
  for (const { Id, Labels } of await docker.listContainers({ all: true }))
    if (Object.values(Labels).includes(id)) await docker.getContainer(Id).remove({ force: true });
  await docker.getVolume(repoVolumeOf(session)).remove();
}

test("a missing branch never means undone work: the command that restores it is named, and after it the session continues", async () => {
  await using stage = await opened(2);
  const id = await stage.prepared();
  next(...doing(1), quiet, quiet, quiet);
  expect(await stage.tilth.run(["run", stage.source])).toMatchObject({ code: 1 });
  const inside = { cwd: stage.source };
  const tip = await gitLine(["rev-parse", `session/${id}`], inside);
  await gitLine(["update-ref", "-d", `refs/heads/session/${id}`], inside);
  const moved = await stage.tilth.run(["resume", id]);
  expect(moved).toMatchObject({ code: 5 });
  expect(moved.stdout).toContain(tip);
  await gitLine(["update-ref", `refs/heads/session/${id}`, tip], inside);
  next(...doing(2));
  await expectDone(stage, id, await stage.tilth.run(["resume", id]), 2);
});

test("what was never run, is no session or has no tasks is refused with what to type, and nothing is changed", async () => {
  await using stage = await opened(1);
  const id = await stage.prepared();
  const prepared = await stage.tilth.run(["resume", id]);
  expect(prepared).toMatchObject({ code: 2 });
  expect(prepared.stderr).toContain(`→ tilth run --session ${id}`);
  expect(await stage.tilth.run(["resume", ".."])).toMatchObject({ code: 2 });
  const checkpoint = sessionFile(stage, id, "checkpoint.json");
  const said = readFileSync(checkpoint, "utf8");
  writeFileSync(checkpoint, said.replace('"prepared"', '"failed"'));
  rmSync(sessionFile(stage, id, "prd.json"));
  const failed = await stage.tilth.run(["resume", id]);
  expect(failed).toMatchObject({ code: 2 });
  expect(failed.stderr).toMatch(new RegExp(`tilth reset ${id}.*tilth prep-feature .* --force`));
  expect(existsSync(sessionFile(stage, id, "lock"))).toBe(false);
});
