import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Script, Turn } from "../../runner/demo/script/script.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { compiledTilth } from "../helpers/compiled.js";
import { someOf } from "../helpers/every.js";
import { keep } from "../helpers/kept-session.js";
import { startModel } from "../helpers/scripted-model.js";
import { StallingEngine } from "../helpers/stalling-engine.js";
import { eventsNow, expectResumable, until } from "../helpers/stopped.js";
import { Tilth } from "../helpers/tilth.js";
import { Terminal } from "../helpers/tmux.js";

const [writes, submits] = doing(1) as readonly [Turn, Turn];
const slow = "import time\n\ntime.sleep(300)\n\n\ndef answer():\n    return 1\n";

interface Moment {
  readonly when: string;
  readonly script: Script;
  readonly has: (event: TilthEvent) => boolean;
}

const workerIsUp = ({ type, payload }: TilthEvent) => type === "isolation_receipt" && payload.role === "work";
const calls = (tool: string) => (event: TilthEvent) => event.type === "tool_call" && event.payload.tool === tool;

const moments: readonly Moment[] = [
  {
    when: "containers are starting",
    script: { worker: [{ hang: true }] },
    has: ({ type }) => type === "session_start",
  },
  {
    when: "the model never answers",
    script: { worker: [{ hang: true }] },
    has: workerIsUp,
  },
  {
    when: "a command ignores that it should end",
    script: { worker: [{ calls: [["bash", { command: "trap '' TERM INT HUP; while :; do sleep 1; done" }]] }] },
    has: calls("bash"),
  },
  {
    when: "a commit is being made",
    script: { worker: [writes, submits, { hang: true }] },
    has: ({ type }) => type === "commit_prepared",
  },
  {
    when: "the evaluator never answers",
    script: { worker: [writes, submits], evaluator: [{ hang: true }] },
    has: ({ type }) => type === "check_run",
  },
  {
    when: "a check runs",
    script: { worker: [{ calls: [["write_file", { path: "pkg/m1.py", content: slow }]] }, submits] },
    has: calls("submit_case"),
  },
];

/** A run starts many processes, and the machine may be busy with others. */
const patience = { timeout: 240_000 };

let stage: CliStage;
let id: string;
let putBack: () => Promise<void>;

// staged once, and put back for each test
beforeAll(async () => {
  stage = await CliStage.open({}, 2);
  id = await stage.prepared();
  putBack = await keep(stage, id);
});
beforeEach(() => putBack());
afterAll(() => stage?.[Symbol.asyncDispose]());

const events = () => eventsNow(stage, id);

async function running({ script, has }: Moment) {
  const model = await startModel(script);
  const before = events().length;
  const run = stage.tilth.start(["run", stage.source], Tilth.endpoint(model));
  await until(() => run.process.exitCode !== null || events().slice(before).some(has));
  return {
    process: run.process,
    ended: run.ended,
    async [Symbol.asyncDispose]() {
      run.process.kill("SIGKILL");
      await run.ended;
      await model[Symbol.asyncDispose]();
    },
  };
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const signalled = moments.map((moment, at) => ({ ...moment, signal: signals[at % 3] ?? "SIGINT" }));

test.each(someOf(signalled, 3))(
  "$signal while $when stops at a safe point within ten seconds",
  patience,
  async ({ signal, ...moment }) => {
    await using run = await running(moment);
    const sent = performance.now();
    run.process.kill(signal);
    const { code, stdout } = await run.ended;
    expect(performance.now() - sent).toBeLessThan(10_000);
    expect([code, stdout]).toEqual([130, expect.stringContaining(`stopped: interrupted\n  → tilth resume ${id}`)]);
    expect(events().at(-1)).toMatchObject({ type: "stop", payload: { reason: "interrupted" } });
    expect(await stage.onEngine("containers")).toEqual([]);
    await expectResumable(stage, id);
  },
);

test.each(someOf(moments.slice(1), 3))("a second Ctrl-C while $when ends the run at once", patience, async (moment) => {
  await using run = await running(moment);
  run.process.kill("SIGINT");
  await new Promise((resolve) => setTimeout(resolve, 400));
  const sent = performance.now();
  run.process.kill("SIGINT");
  const { code } = await run.ended;
  expect(performance.now() - sent).toBeLessThan(5_000);
  expect(code).toBe(130);
  await expectResumable(stage, id, { atOnce: true });
});

test("closing the terminal is a signal too, with nobody left to read or be written to", patience, async () => {
  await using model = await startModel({ worker: [{ hang: true }] });
  const before = events().length;
  const env = { ...stage.tilth.env, ...Tilth.endpoint(model) };
  using terminal = new Terminal([process.execPath, compiledTilth(), "run", stage.source], env);
  await until(() => events().slice(before).some(workerIsUp));
  terminal.close();
  // removing the lock is the last thing that it does before it ends
  await until(() => !existsSync(join(stage.tilth.home, "sessions", id, "lock")));
  expect(events().at(-1)).toMatchObject({ type: "stop", payload: { reason: "interrupted" } });
  await expectResumable(stage, id);
});

test("a closed terminal that is reported twice is one signal", patience, async () => {
  const script = { worker: [{ calls: [["bash", { command: "trap '' TERM; sleep 300 & wait; sleep 300" }]] }] } as const;
  await using run = await running({ when: "a command runs", script, has: calls("bash") });
  run.process.kill("SIGHUP");
  await new Promise((resolve) => setTimeout(resolve, 400));
  run.process.kill("SIGHUP");
  expect(await run.ended).toMatchObject({ code: 130 });
  expect(events().at(-1)).toMatchObject({ type: "stop", payload: { reason: "interrupted" } });
});

test(
  "Ctrl-C ends a run whose engine is silent, and a resumed run goes on when its outputs lose their reader",
  patience,
  async () => {
    await using model = await startModel({ worker: [{ hang: true }, ...doing(1), ...doing(2)] });
    await using engine = await StallingEngine.open();
    const run = stage.tilth.start(["run", stage.source], { ...Tilth.endpoint(model), DOCKER_HOST: engine.address });
    await run.said(/isolation proved/);
    engine.stall();
    run.process.kill("SIGINT");
    expect(await run.ended).toMatchObject({
      code: 130,
      stderr: expect.stringContaining("nothing waits for it any longer"),
    });
    await engine[Symbol.asyncDispose]();
    await expectResumable(stage, id);
    const resumed = stage.tilth.start(["resume", id], Tilth.endpoint(model));
    resumed.process.stdout?.destroy();
    resumed.process.stderr?.destroy();
    expect((await resumed.ended).code).toBe(0);
    expect(events().at(-1)).toMatchObject({ type: "stop", payload: { reason: "all_done" } });
  },
);
