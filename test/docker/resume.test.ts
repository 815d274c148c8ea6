import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asSessionId } from "../../runner/base/ids.js";
import { packageFolder } from "../../runner/base/package-folder.js";
import type { Turn } from "../../runner/demo/script/script.js";
import { repoVolumeOf } from "../../runner/hands/docker/container/labels.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { gitLine } from "../helpers/fake-git.js";
import { keep } from "../helpers/kept-session.js";
import { startModel } from "../helpers/scripted-model.js";
import { until } from "../helpers/stopped.js";
import { type CommandEnd, Tilth } from "../helpers/tilth.js";

// `tilth resume` as a person uses it: another process, the real engine, whatever ended the one before

let model: Awaited<ReturnType<typeof startModel>>;
const worker: Turn[] = [];
/** staged once, with two tasks, and put back for tests that need another session */
let stage: CliStage;
let id: string;
let putBack: () => Promise<void>;

beforeAll(async () => {
  model = await startModel({ worker: () => worker.shift() ?? { quiet: "Done." } });
  stage = await CliStage.open(Tilth.endpoint(model), 2);
  id = await stage.prepared();
  putBack = await keep(stage, id);
});
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

function next(...turns: readonly Turn[]): void {
  worker.splice(0, worker.length, ...turns);
}

const hang: Turn = { hang: true };
const quiet: Turn = { quiet: "I am done." };

const sessionFile = (name: string) => join(stage.tilth.home, "sessions", id, name);
const tokens = (): number => JSON.parse(readFileSync(sessionFile("checkpoint.json"), "utf8")).tokens;
const subjects = () =>
  gitLine(["log", "--format=%s", `session/${id}`], { cwd: stage.source }).then((text) => text.split("\n"));

const staged = ["seed: 2 tasks + 2 acceptance tests", "change"];

async function expectDone(ended: CommandEnd): Promise<void> {
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  expect(await subjects()).toEqual(["T-002: Answer 2", "T-001: Answer 1", ...staged]);
  const verified = await stage.tilth.run(["verify", id]);
  expect(verified, verified.stdout).toMatchObject({ code: 0 });
  expect(await stage.onEngine()).toEqual([]);
}

// one session, from before its first run to its end
describe("resume in a session of two tasks", () => {
  test("refuses what was never run, is no session or has no tasks, says what to type, and changes nothing", async () => {
    const prepared = await stage.tilth.run(["resume", id]);
    expect(prepared).toMatchObject({ code: 2 });
    expect(prepared.stderr).toContain(`→ tilth run --session ${id}`);
    expect(await stage.tilth.run(["resume", ".."])).toMatchObject({ code: 2 });
    const [checkpoint, prd] = [sessionFile("checkpoint.json"), sessionFile("prd.json")];
    const [said, tasks] = [readFileSync(checkpoint, "utf8"), readFileSync(prd, "utf8")];
    writeFileSync(checkpoint, said.replace('"prepared"', '"failed"'));
    rmSync(prd);
    const failed = await stage.tilth.run(["resume", id]);
    expect(failed).toMatchObject({ code: 2 });
    expect(failed.stderr).toMatch(new RegExp(`tilth reset ${id}.*tilth prep-feature .* --force`));
    expect(existsSync(sessionFile("lock"))).toBe(false);
    writeFileSync(checkpoint, said);
    writeFileSync(prd, tasks);
  });

  test("continues a killed run without doing again what is done", async () => {
    next(...doing(1), { calls: [["write_file", { path: "half.txt", content: "half\n" }]] }, hang);
    const running = stage.tilth.start(["run", stage.source]);
    await running.said(/write_file half.txt/);
    await until(() => existsSync(sessionFile("workspace/half.txt")));
    running.process.kill("SIGKILL");
    await running.ended;
    const before = tokens();
    next({ calls: [["write_file", { path: "more.txt", content: "more\n" }]] }, quiet, quiet, quiet);
    const resumed = await stage.tilth.run(["resume"]);
    expect(resumed.stderr).toContain(`the latest session is ${id}, running: Answer 1\n`);
    expect(resumed.stderr).toContain(
      "continuing; the last run was cut short\n  T-001 done: Answer 1\n  T-002 to do: Answer 2\n",
    );
    expect(resumed, resumed.stderr).toMatchObject({ code: 1 });
    expect(resumed.stdout).toContain(`then tilth resume ${id}`);
    expect(await subjects()).toEqual(["T-001: Answer 1", ...staged]);
    expect(tokens()).toBeGreaterThan(before);
  });

  test("meets a cap again unless it is raised, and says so", async () => {
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

  test("never takes a missing branch for undone work, names the command that restores it, and then continues", async () => {
    const inside = { cwd: stage.source };
    const tip = await gitLine(["rev-parse", `session/${id}`], inside);
    await gitLine(["update-ref", "-d", `refs/heads/session/${id}`], inside);
    const moved = await stage.tilth.run(["resume", id]);
    expect(moved).toMatchObject({ code: 5 });
    expect(moved.stdout).toContain(tip);
    await gitLine(["update-ref", `refs/heads/session/${id}`, tip], inside);
  });

  test("tries a failed task again with a fresh budget, its work still there and its tokens still counted", async () => {
    const before = tokens();
    next({ calls: [["read_file", { path: "more.txt" }]] }, ...doing(2));
    const resumed = await stage.tilth.run(["--resume", id]);
    expect(resumed.stderr).toContain(`(this is now spelled: tilth resume ${id})`);
    await expectDone(resumed);
    expect(await gitLine(["show", `session/${id}:half.txt`], { cwd: stage.source })).toBe("half");
    const told = model.of("worker").flatMap(({ messages }) => messages.map(({ content }) => String(content)));
    expect(told).toContain("more\n");
    expect(tokens()).toBeGreaterThan(before);
    const progress = readFileSync(sessionFile("progress.txt"), "utf8");
    expect(progress.split("\n").slice(-3)).toEqual(["T-002\tfailed:no_case\tAnswer 2", "T-002\tdone\tAnswer 2", ""]);
    expect(await stage.tilth.run(["resume", id])).toMatchObject({
      code: 0,
      stdout: `session ${id} is all done; there is nothing to resume\n`,
    });
  });
});

test("an accepted tree becomes its commit without a model, whether the engine still has it or only the worktree", async () => {
  const killer = join(packageFolder, "test", "helpers", "killer.js");
  await putBack();
  const log = join(stage.tilth.root, "steps");
  const env = { NODE_OPTIONS: `--import ${killer}`, KILLER_LOG: log, KILLER_FROM: "index-pack", KILLER_STEP: "1" };
  const diesImporting = async (verb: readonly string[], done: number) => {
    next(...doing(done + 1));
    writeFileSync(log, "");
    expect(await stage.tilth.run(verb, env)).toMatchObject({ code: null });
    expect(await subjects()).toHaveLength(2 + done);
    return model.requests.length;
  };
  const asked = await diesImporting(["run", stage.source], 0);
  // no second task is started
  const resumed = await stage.tilth.run(["resume", id], { TILTH_MAX_TOKENS: "1" });
  expect(resumed, resumed.stderr).toMatchObject({ code: 4 });
  expect(await subjects()).toEqual(["T-001: Answer 1", ...staged]);
  expect(model.requests.length).toBe(asked);

  const later = await diesImporting(["resume", id], 1);
  await removeVolume();
  const ended = await stage.tilth.run(["resume", id]);
  expect(model.requests.length).toBe(later);
  await expectDone(ended);
});

/**
 * Removes the volume, as somebody's prune would; a container that was killed with its brain may hold it a moment
 * longer.
 */
async function removeVolume(): Promise<void> {
  while ((await stage.onEngine("containers")).some((line) => !line.endsWith("created")))
    await new Promise((resolve) => setTimeout(resolve, 50));
  const { docker } = stage.engine;
  const session = asSessionId(id);
  if (session === null) throw new Error(`not an id: ${id}`);
  for (const { Id, Labels } of await docker.listContainers({ all: true }))
    if (Object.values(Labels).includes(id)) await docker.getContainer(Id).remove({ force: true });
  await docker.getVolume(repoVolumeOf(session)).remove();
}
