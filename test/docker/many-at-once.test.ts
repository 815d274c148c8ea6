import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { doing } from "../helpers/cli-stage.js";
import { sharedSession } from "../helpers/kept-session.js";
import { startModel } from "../helpers/scripted-model.js";
import { soon } from "../helpers/soon.js";
import { eventsNow, expectResumable } from "../helpers/stopped.js";
import { type Running, Tilth } from "../helpers/tilth.js";

/** Each test starts many processes. */
const patience = { timeout: 240_000 };

const { stage, id } = await sharedSession();

/** EVERY=1 starts twenty. */
const count = process.env.EVERY === "1" ? 20 : 5;
const many = (start: () => Running) => Array.from({ length: count }, start);

/** Gives the one that works, once the others have ended. */
async function winnerOf(all: readonly Running[]): Promise<Running> {
  const ends = all.map(({ ended }) => ended);
  const settled = await Promise.race([Promise.all(ends).then(() => "all ended" as const), allButOneEnded(ends)]);
  expect(settled).toBe("one is left");
  const [working, ...more] = all.filter(({ process }) => process.exitCode === null);
  if (working === undefined || more.length > 0) return expect.fail(`${1 + more.length} are at work`);
  await working.said(/isolation proved/);
  return working;
}

test(
  "among many simultaneous runs of one source one works, the others name it, and none starts another session",
  patience,
  async () => {
    await using model = await startModel({ worker: [{ hang: true }] });
    const env = Tilth.endpoint(model);
    const all = many(() => stage.tilth.start(["run", stage.source], env));
    const first = await winnerOf(all);
    for (const run of all) {
      if (run === first) continue;
      const { code, stdout, stderr } = await run.ended;
      expect([code, stdout], stderr).toEqual([code === 2 ? 2 : 3, ""]);
      expect(stderr).toMatch(/^(tilth: |session )[^\n]+\n(.*\n)? {2}→ [^\n]+\n$/);
      if (code === 3) expect(stderr).toContain(`session ${id} is in use by process ${first.process.pid} `);
    }
    expect(stage.tilth.sessions()).toEqual([id]);
    expect(
      eventsNow(stage, id).filter(({ type, payload }) => type === "session_start" && "phase" in payload),
    ).toHaveLength(2);
    await soon(() => model.requests.length).toBeGreaterThan(0);
    first.process.kill("SIGTERM");
    expect(await first.ended).toMatchObject({ code: 130 });
    expect(model.requests).toHaveLength(1);
    await expectResumable(stage, id);
  },
);

test(
  "among many simultaneous resumes of one session one works, and the others exit 3 naming it",
  patience,
  async () => {
    await using model = await startModel({ worker: [{ hang: true }, { hang: true }, ...doing(1)] });
    const env = Tilth.endpoint(model);
    const run = stage.tilth.start(["run", stage.source], env);
    await run.said(/isolation proved/);
    run.process.kill("SIGKILL");
    await run.ended;
    const all = many(() => stage.tilth.start(["resume", id], env));
    const first = await winnerOf(all);
    for (const resume of all) {
      if (resume === first) continue;
      const { code, stdout, stderr } = await resume.ended;
      expect([code, stdout], stderr).toEqual([3, ""]);
      expect(stderr).toContain(`session ${id} is in use by process ${first.process.pid} `);
    }
    expect(eventsNow(stage, id).filter(({ type }) => type === "session_resume")).toHaveLength(1);
    first.process.kill("SIGTERM");
    expect(await first.ended).toMatchObject({ code: 130 });
    expect(await stage.tilth.run(["resume", id], env)).toMatchObject({ code: 0 });
  },
);

test("a session whose holder was killed is taken over by the next run, and its log says so", patience, async () => {
  await using model = await startModel({ worker: [{ hang: true }] });
  const env = Tilth.endpoint(model);
  const killed = await holderOf(join(stage.tilth.home, "sessions", id, "lock"));
  const refused = await stage.tilth.run(["run", stage.source], env);
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining(`in use by process ${killed.pid} `) });
  killed.kill("SIGKILL");
  await once(killed, "exit");
  const next = stage.tilth.start(["run", stage.source], env);
  await next.said(/isolation proved/);
  next.process.kill("SIGINT");
  expect(await next.ended).toMatchObject({ code: 130 });
  expect(eventsNow(stage, id).filter(({ type }) => type === "lock_taken_over")).toMatchObject([
    { payload: { reason: `process ${killed.pid} is gone`, holder: { pid: killed.pid } } },
  ]);
  await expectResumable(stage, id);
});

/** Gives another process, once it has the lock. */
async function holderOf(lock: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("../session/lock-racer.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script, lock, "0"], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

async function allButOneEnded(ends: readonly Promise<unknown>[]): Promise<"one is left"> {
  let ended = 0;
  return await new Promise((resolve) => {
    for (const end of ends)
      void end.then(() => {
        ended += 1;
        if (ended === ends.length - 1) resolve("one is left");
      });
  });
}
