import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Summary } from "../../runner/index.js";
import { doing } from "../helpers/cli-stage.js";
import { git, gitLine } from "../helpers/fake-git.js";
import { sharedSession } from "../helpers/kept-session.js";
import { canaryKey, startModel } from "../helpers/scripted-model.js";
import { type Env, Tilth } from "../helpers/tilth.js";

const { stage, id, putBack } = await sharedSession();

/** Settings that lead nowhere. */
const unreachable = Tilth.endpoint({ baseUrl: "http://127.0.0.1:9/v1" });

test("sessions in flight are refused, kept or discarded as told, and several prepared ones are listed", async () => {
  const { tilth } = stage;
  const again = await tilth.run(["seed", stage.source, "--from", stage.seed]);
  expect(again).toMatchObject({ code: 2, stdout: "" });
  expect(again.stderr).toMatch(new RegExp(`in flight:\\n {4}${id} .*\\n {2}→ .*--force.*--keep-existing.*\\n$`));
  expect(tilth.sessions()).toEqual([id]);

  const second = await stage.prepared("--keep-existing");
  const several = await tilth.run(["run", stage.source], unreachable);
  expect(several.code).toBe(2);
  for (const each of [id, second]) expect(several.stderr).toContain(each);

  const tip = await gitLine(["rev-parse", `session/${id}`], { cwd: stage.source });
  const forced = await tilth.run(["seed", stage.source, "--from", stage.seed, "--force"]);
  expect(forced.code).toBe(0);
  expect(forced.stderr).toContain(`discarded session ${id}; its branch was at ${tip}`);
  const [left = "", ...others] = tilth.sessions();
  expect(others).toEqual([]);
  expect([id, second]).not.toContain(left);
  expect(String(await git(["branch", "--list", "session/*"], { cwd: stage.source })).trim()).toBe(`+ session/${left}`);
  expect(await stage.onEngine("containers")).toEqual([]);
});

test("a run says on stderr what it does and on stdout what came of it, and leaves nothing on the engine", async () => {
  await using model = await startModel({ worker: [...doing(1)] });
  const { tilth } = stage;
  const env = Tilth.endpoint(model);
  const { code, stdout, stderr } = await tilth.run(["run", "--sandbox", stage.source], env);
  expect(code).toBe(0);
  expect(stderr).toContain(`session ${id}: Answer 1\n`);
  expect(stderr).toMatch(/^\d\d:\d\d {2}T-001 Answer 1 \(1 of 1\)$/m);
  expect(stdout).toMatch(/^T-001 {2}done /m);
  expect(stdout).toContain("\nall tasks are done\n");
  expect(stdout).toContain(`merge:  git -C '${stage.source}' merge session/${id}\n`);
  expect(`${stdout}${stderr}`).not.toContain(canaryKey);
  expect(`${stdout}${stderr}`).not.toContain("\u001b");
  const subjects = await gitLine(["log", "--format=%s", `session/${id}`], { cwd: stage.source });
  expect(subjects.split("\n")).toEqual(["T-001: Answer 1", "seed: 1 task + 1 acceptance test", "change"]);
  expect(await stage.onEngine()).toEqual([]);

  expect(await tilth.run(["run", "--session", id], env)).toMatchObject({
    code: 0,
    stdout: `session ${id} is all done; there is nothing to run\n`,
  });
  const listed = JSON.parse((await tilth.run(["sessions", "--json"])).stdout);
  expect(listed).toMatchObject([{ id, status: "all_done", last_stop: "all_done", tasks: { done: 1, failed: 0 } }]);
  const shown = JSON.parse((await tilth.run(["sessions", "show", id, "--json"])).stdout) as Summary;
  expect([shown.session, shown.stop?.reason, shown.tasks.length]).toEqual([id, "all_done", 1]);
  const { stdout: again } = await tilth.run(["sessions", "show", id]);
  expect(again).toMatch(/^T-001 {2}done /m);
  expect(again).toContain(`merge:  git -C '${stage.source}' merge session/${id}\n`);
  writeFileSync(join(tilth.home, "sessions", id, "prd.json"), "{");
  expect((await tilth.run(["sessions"])).stdout).toMatch(new RegExp(`^${id} {2}all_done`));
});

test("a second run is told who holds the session, and Ctrl-C ends the first with nothing left behind", async () => {
  await using model = await startModel({ worker: [{ calls: [["bash", { command: "sleep 300" }]] }] });
  const { tilth } = stage;
  const env = Tilth.endpoint(model);
  const running = tilth.start(["run", stage.source], env);
  await running.said(/1 bash sleep 300/);

  const { pid } = running.process;
  for (const args of [
    ["run", stage.source],
    ["run", "--session", id],
  ]) {
    const second = await tilth.run(args, env);
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
  const after = await tilth.run(["run", stage.source], env);
  expect(after).toMatchObject({ code: 2, stdout: "" });
  expect(after.stderr).toContain(`→ tilth resume ${id}\n`);
});

test("a missing runtime leaves a session as it was, and a failing endpoint ends a run with 5 and keeps the work", async () => {
  await using model = await startModel({ worker: () => ({ status: 401 }) });
  const { tilth } = stage;
  await refusesRuntime();
  const ends: readonly (readonly [Env, RegExp])[] = [
    [Tilth.endpoint(model), /^stopped: provider_denied \(.*401.*\)$/m],
    [unreachable, /^stopped: infra \(.*\)$/m],
  ];
  for (const [env, stopped] of ends) {
    await putBack();
    const { code, stderr, stdout } = await tilth.run(["run", "--session", id, "--quiet"], env);
    expect([code, stderr]).toEqual([5, ""]);
    expect(stdout).toMatch(/^ {2}→ /m);
    expect(stdout).not.toContain(canaryKey);
    expect(stdout).toMatch(stopped);
    expect(await stage.onEngine("containers")).toEqual([]);
    const folder = join(tilth.home, "sessions", id);
    expect(JSON.parse(readFileSync(join(folder, "checkpoint.json"), "utf8"))).toMatchObject({ status: "running" });
    expect(JSON.parse(readFileSync(join(folder, "prd.json"), "utf8"))).toMatchObject([{ status: "pending" }]);
  }
});

test("a weekly limit ends a run with 5 and says how to go on; --wait-for-limit waits until Ctrl-C", async () => {
  await using model = await startModel({ worker: () => ({ status: 429, headers: { "retry-after": "604800" } }) });
  const { tilth } = stage;
  const env = Tilth.endpoint(model);
  await putBack();
  const { code, stdout } = await tilth.run(["run", "--session", id, "--quiet"], env);
  expect(code).toBe(5);
  expect(stdout).toMatch(/^stopped: infra \(.* asks to wait 604800 s, until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+, /m);
  expect(stdout).toContain(`tilth resume ${id} --wait-for-limit`);

  const waiting = tilth.start(["resume", id, "--wait-for-limit"], env);
  await waiting.said(/waiting until \d{4}-\d\d-\d\d \d\d:\d\d/);
  waiting.process.kill("SIGINT");
  const ended = await waiting.ended;
  expect(ended.code).toBe(130);
  expect(ended.stdout).toContain("stopped: interrupted");
  expect(model.requests).toHaveLength(2);
  expect(readFileSync(join(tilth.home, "limits.json"), "utf8")).not.toContain(canaryKey);
});

async function refusesRuntime(): Promise<void> {
  const events = join(stage.tilth.home, "sessions", id, "events.jsonl");
  const before = readFileSync(events, "utf8");
  const { code, stdout, stderr } = await stage.tilth.run(["run", stage.source, "--runtime", "nope"], unreachable);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/tilth: the engine has no runtime "nope" [^\n]*\n {2}→ [^\n]*\n$/);
  expect(readFileSync(events, "utf8")).toBe(before);
  expect(JSON.parse((await stage.tilth.run(["sessions", "--json"])).stdout)).toMatchObject([{ status: "prepared" }]);
}
