import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
const worker: Turn[] = [];

beforeAll(async () => {
  model = await startModel({ worker: () => worker.shift() ?? { quiet: "Done." } });
});
afterAll(() => model?.[Symbol.asyncDispose]());

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

const seedOf = (tasks: number) => `seed: ${tasks} tasks + ${tasks} acceptance tests`;

async function expectDone(stage: CliStage, id: string, ended: Ended, tasks: number): Promise<void> {
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  const titles = Array.from({ length: tasks }, (_, at) => `T-00${tasks - at}: Answer ${tasks - at}`);
  expect(await subjects(stage, id)).toEqual([...titles, seedOf(tasks), "change"]);
  const verified = await stage.tilth.run(["verify", id]);
  expect(verified, verified.stdout).toMatchObject({ code: 0 });
  expect(await stage.onEngine()).toEqual([]);
}

// one session, from before its first run to its end
describe("a session of two tasks", () => {
  let stage: CliStage;
  let id: string;

  beforeAll(async () => {
    stage = await opened(2);
    id = await stage.prepared();
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  test("what was never run, is no session or has no tasks is refused with what to type, and nothing is changed", async () => {
    const prepared = await stage.tilth.run(["resume", id]);
    expect(prepared).toMatchObject({ code: 2 });
    expect(prepared.stderr).toContain(`→ tilth run --session ${id}`);
    expect(await stage.tilth.run(["resume", ".."])).toMatchObject({ code: 2 });
    const [checkpoint, prd] = ["checkpoint.json", "prd.json"].map((name) => sessionFile(stage, id, name)) as [
      string,
      string,
    ];
    const [said, tasks] = [readFileSync(checkpoint, "utf8"), readFileSync(prd, "utf8")];
    writeFileSync(checkpoint, said.replace('"prepared"', '"failed"'));
    rmSync(prd);
    const failed = await stage.tilth.run(["resume", id]);
    expect(failed).toMatchObject({ code: 2 });
    expect(failed.stderr).toMatch(new RegExp(`tilth reset ${id}.*tilth prep-feature .* --force`));
    expect(existsSync(sessionFile(stage, id, "lock"))).toBe(false);
    writeFileSync(checkpoint, said);
    writeFileSync(prd, tasks);
  });

  test("a run that was killed is gone on with, what is done not being done again", async () => {
    next(...doing(1), { calls: [["write_file", { path: "half.txt", content: "half\n" }]] }, hang);
    const running = stage.tilth.start(["run", stage.source]);
    await running.said(/write_file half.txt/);
    await until(() => existsSync(sessionFile(stage, id, "workspace/half.txt")));
    running.process.kill("SIGKILL");
    await running.ended;
    const before = tokensOf(stage, id);
    next({ calls: [["write_file", { path: "more.txt", content: "more\n" }]] }, quiet, quiet, quiet);
    const resumed = await stage.tilth.run(["resume"]);
    expect(resumed.stderr).toContain(`the latest session is ${id}, running: Answer 1\n`);
    expect(resumed.stderr).toContain(
      "continuing; the last run was cut short\n  T-001 done: Answer 1\n  T-002 to do: Answer 2\n",
    );
    expect(resumed, resumed.stderr).toMatchObject({ code: 1 });
    expect(resumed.stdout).toContain(`then tilth resume ${id}`);
    expect(await subjects(stage, id)).toEqual(["T-001: Answer 1", seedOf(2), "change"]);
    expect(tokensOf(stage, id)).toBeGreaterThan(before);
  });

  test("a cap is met again unless it is raised, and says so", async () => {
    const tight = { TILTH_MAX_TOKENS: "1" };
    const met = await stage.tilth.run(["resume", id], tight);
    expect(met, met.stderr).toMatchObject({ code: 4 });
    expect(met.stderr).toMatch(
      /continuing; the last run stopped: no_case\n {2}T-001 done: .*\n {2}T-002 again: Answer 2\n/,
    );
    const again = await stage.tilth.run(["resume", id], tight);
    expect(again, again.stderr).toMatchObject({ code: 4 });
    expect(again.stdout).toContain(`→ raise TILTH_MAX_TOKENS, then tilth resume ${id}`);
  });

  test("a missing branch never means undone work: the command that restores it is named, and after it the session continues", async () => {
    const inside = { cwd: stage.source };
    const tip = await gitLine(["rev-parse", `session/${id}`], inside);
    await gitLine(["update-ref", "-d", `refs/heads/session/${id}`], inside);
    const moved = await stage.tilth.run(["resume", id]);
    expect(moved).toMatchObject({ code: 5 });
    expect(moved.stdout).toContain(tip);
    await gitLine(["update-ref", `refs/heads/session/${id}`, tip], inside);
  });

  test("a task that failed is tried again with a fresh budget, its work still there and its tokens still counted", async () => {
    const before = tokensOf(stage, id);
    next({ calls: [["read_file", { path: "more.txt" }]] }, ...doing(2));
    const resumed = await stage.tilth.run(["--resume", id]);
    expect(resumed.stderr).toContain(`(this is now spelled: tilth resume ${id})`);
    await expectDone(stage, id, resumed, 2);
    expect(await gitLine(["show", `session/${id}:half.txt`], { cwd: stage.source })).toBe("half");
    const told = model.of("worker").flatMap(({ messages }) => messages.map(({ content }) => String(content)));
    expect(told).toContain("more\n");
    expect(tokensOf(stage, id)).toBeGreaterThan(before);
    const progress = readFileSync(sessionFile(stage, id, "progress.txt"), "utf8");
    expect(progress.split("\n").slice(-3)).toEqual(["T-002\tfailed:no_case\tAnswer 2", "T-002\tdone\tAnswer 2", ""]);
    expect(await stage.tilth.run(["resume", id])).toMatchObject({
      code: 0,
      stdout: `session ${id} is all done; there is nothing to resume\n`,
    });
  });
});

test("an accepted tree becomes its commit without a model, whether the engine still has it or the worktree alone", async () => {
  const killer = join(packageFolder, "test", "helpers", "killer.js");
  await using stage = await opened(2);
  const id = await stage.prepared();
  const log = join(stage.tilth.root, "steps");
  const env = { NODE_OPTIONS: `--import ${killer}`, KILLER_LOG: log, KILLER_FROM: "index-pack", KILLER_STEP: "1" };
  const diesImporting = async (verb: readonly string[], done: number) => {
    next(...doing(done + 1));
    writeFileSync(log, "");
    expect(await stage.tilth.run(verb, env)).toMatchObject({ code: null });
    expect(await subjects(stage, id)).toHaveLength(2 + done);
    return model.requests.length;
  };
  const asked = await diesImporting(["run", stage.source], 0);
  // no second task is begun
  const resumed = await stage.tilth.run(["resume", id], { TILTH_MAX_TOKENS: "1" });
  expect(resumed, resumed.stderr).toMatchObject({ code: 4 });
  expect(await subjects(stage, id)).toEqual(["T-001: Answer 1", seedOf(2), "change"]);
  expect(model.requests.length).toBe(asked);

  const later = await diesImporting(["resume", id], 1);
  await removeVolume(stage, id);
  const ended = await stage.tilth.run(["resume", id]);
  expect(model.requests.length).toBe(later);
  await expectDone(stage, id, ended, 2);
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
