import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Script } from "../../runner/demo/script.js";
import type { Summary } from "../../runner/index.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { git, gitLine } from "../helpers/fake-git.js";
import { canaryKey, startModel } from "../helpers/scripted-model.js";
import { Tilth } from "../helpers/tilth.js";

const subjects = (stage: CliStage, id: string) =>
  gitLine(["log", "--format=%s", `session/${id}`], { cwd: stage.source }).then((text) => text.split("\n"));

async function played(script: Script, tasks = 1) {
  const model = await startModel(script);
  const stage = await CliStage.open(Tilth.endpoint(model), tasks);
  return {
    model,
    stage,
    tilth: stage.tilth,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

test("sessions in flight are refused, kept or discarded as told, and several prepared ones are listed", async () => {
  await using stage = await CliStage.open();
  const { tilth } = stage;
  const first = await stage.prepared();
  const again = await tilth.run(["seed", stage.source, "--from", stage.seed]);
  expect(again).toMatchObject({ code: 2, stdout: "" });
  expect(again.stderr).toMatch(new RegExp(`in flight:\\n {4}${first} .*\\n {2}→ .*--force.*--keep-existing.*\\n$`));
  expect(tilth.sessions()).toEqual([first]);

  const second = await stage.prepared("--keep-existing");
  const several = await tilth.run(["run", stage.source], Tilth.endpoint({ baseUrl: "http://127.0.0.1:9/v1" }));
  expect(several.code).toBe(2);
  for (const id of [first, second]) expect(several.stderr).toContain(id);

  const tip = await gitLine(["rev-parse", `session/${first}`], { cwd: stage.source });
  const forced = await tilth.run(["seed", stage.source, "--from", stage.seed, "--force"]);
  expect(forced.code).toBe(0);
  expect(forced.stderr).toContain(`discarded session ${first}; its branch was at ${tip}`);
  const [left = "", ...others] = tilth.sessions();
  expect(others).toEqual([]);
  expect([first, second]).not.toContain(left);
  expect(String(await git(["branch", "--list", "session/*"], { cwd: stage.source })).trim()).toBe(`+ session/${left}`);
  expect(await stage.onEngine("containers")).toEqual([]);
});

test("a run says on stderr what it does and on stdout what came of it, and leaves nothing on the engine", async () => {
  await using play = await played({ worker: [...doing(1), ...doing(2)] }, 2);
  const { tilth, stage } = play;
  const id = await stage.prepared();
  const { code, stdout, stderr } = await tilth.run(["run", "--sandbox", stage.source]);
  expect(code).toBe(0);
  expect(stderr).toContain(`session ${id}: Answer 1\n`);
  expect(stderr).toMatch(/^\d\d:\d\d {2}T-002 Answer 2 \(2 of 2\)$/m);
  expect(stdout).toMatch(/^T-001 {2}done /m);
  expect(stdout).toContain("\nall tasks are done\n");
  expect(stdout).toContain(`merge:  git -C '${stage.source}' merge session/${id}\n`);
  expect(`${stdout}${stderr}`).not.toContain(canaryKey);
  expect(`${stdout}${stderr}`).not.toContain("\u001b");
  expect(await subjects(stage, id)).toEqual([
    "T-002: Answer 2",
    "T-001: Answer 1",
    "seed: 2 tasks + 2 acceptance tests",
    "change",
  ]);
  expect(await stage.onEngine()).toEqual([]);

  expect(await tilth.run(["run", "--session", id])).toMatchObject({
    code: 0,
    stdout: `session ${id} is all done; there is nothing to run\n`,
  });
  const listed = JSON.parse((await tilth.run(["sessions", "--json"])).stdout);
  expect(listed).toMatchObject([{ id, status: "all_done", last_stop: "all_done", tasks: { done: 2, failed: 0 } }]);
  const shown = JSON.parse((await tilth.run(["sessions", "show", id, "--json"])).stdout) as Summary;
  expect([shown.session, shown.stop?.reason, shown.tasks.length]).toEqual([id, "all_done", 2]);
  const { stdout: again } = await tilth.run(["sessions", "show", id]);
  expect(again).toMatch(/^T-002 {2}done /m);
  expect(again).toContain(`merge:  git -C '${stage.source}' merge session/${id}\n`);
  writeFileSync(join(tilth.home, "sessions", id, "prd.json"), "{");
  expect((await tilth.run(["sessions"])).stdout).toMatch(new RegExp(`^${id} {2}all_done`));
});

test("while a run goes on, a second one is told who holds the session; Ctrl-C ends the first with nothing left behind", async () => {
  await using play = await played({ worker: [{ calls: [["bash", { command: "sleep 300" }]] }] });
  const { tilth, stage } = play;
  const id = await stage.prepared();
  const running = tilth.start(["run", stage.source]);
  await running.said(/1 bash sleep 300/);

  const { pid } = running.process;
  for (const args of [
    ["run", stage.source],
    ["run", "--session", id],
  ]) {
    const second = await tilth.run(args);
    expect([second.code, second.stdout]).toEqual([3, ""]);
    expect(second.stderr).toMatch(
      new RegExp(`tilth: session ${id} is in use by process ${pid} on .*\\n {2}→ .*kill ${pid}`),
    );
  }
  const forced = await tilth.run(["seed", stage.source, "--from", stage.seed, "--force"]);
  expect(forced.code).toBe(3);
  expect(tilth.sessions()).toEqual([id]);
  expect((await tilth.run(["sessions"])).stdout).toContain(`held by process ${pid}`);

  const pressed = performance.now();
  running.process.kill("SIGINT");
  const { code, stdout } = await running.ended;
  expect(performance.now() - pressed).toBeLessThan(12_000);
  expect(code).toBe(130);
  expect(stdout).toContain(`stopped: interrupted\n  → tilth resume ${id}\n`);
  expect(await stage.onEngine("containers")).toEqual([]);
  expect(JSON.parse((await tilth.run(["sessions", "--json"])).stdout)).toMatchObject([
    { id, status: "running", last_stop: "interrupted", held_by: null, tasks: { pending: 1 } },
  ]);
  const after = await tilth.run(["run", stage.source]);
  expect(after).toMatchObject({ code: 2, stdout: "" });
  expect(after.stderr).toContain(`→ tilth resume ${id}\n`);
});

test("a runtime that the engine lacks leaves a session as it was; an endpoint that cannot be reached, or refuses the key, ends a quiet run with 5 and the work kept", async () => {
  await using play = await played({ worker: () => ({ status: 401 }) });
  const { tilth, stage } = play;
  const denied = await stage.prepared();
  await refusesRuntime(stage, denied);
  const away = await stage.prepared("--keep-existing");
  const runs = [
    await tilth.run(["run", "--session", denied, "--quiet"]),
    await tilth.run(["run", "--session", away, "--quiet"], { TILTH_BASE_URL: "http://127.0.0.1:9/v1" }),
  ];
  for (const { code, stderr, stdout } of runs) {
    expect([code, stderr]).toEqual([5, ""]);
    expect(stdout).toMatch(/^ {2}→ /m);
    expect(stdout).not.toContain(canaryKey);
  }
  expect(runs[0]?.stdout).toMatch(/^stopped: provider_denied \(.*401.*\)$/m);
  expect(runs[1]?.stdout).toMatch(/^stopped: infra \(.*\)$/m);
  expect(await stage.onEngine("containers")).toEqual([]);
  for (const id of [denied, away]) {
    const folder = join(tilth.home, "sessions", id);
    expect(JSON.parse(readFileSync(join(folder, "checkpoint.json"), "utf8"))).toMatchObject({ status: "running" });
    expect(JSON.parse(readFileSync(join(folder, "prd.json"), "utf8"))).toMatchObject([{ status: "pending" }]);
  }
});

async function refusesRuntime(stage: CliStage, id: string): Promise<void> {
  const events = join(stage.tilth.home, "sessions", id, "events.jsonl");
  const before = readFileSync(events, "utf8");
  const { code, stdout, stderr } = await stage.tilth.run(["run", stage.source, "--runtime", "nope"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/tilth: the engine has no runtime "nope" [^\n]*\n {2}→ [^\n]*\n$/);
  expect(readFileSync(events, "utf8")).toBe(before);
  expect(JSON.parse((await stage.tilth.run(["sessions", "--json"])).stdout)).toMatchObject([{ status: "prepared" }]);
}
