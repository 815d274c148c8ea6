import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Script, Turn } from "../../runner/demo/script.js";
import type { TilthEvent } from "../../runner/session/events.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { compiledTilth } from "../helpers/compiled.js";
import { someOf } from "../helpers/every.js";
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
    when: "a check runs",
    script: { worker: [{ calls: [["write_file", { path: "pkg/m1.py", content: slow }]] }, submits] },
    has: calls("submit_case"),
  },
  {
    when: "the evaluator never answers",
    script: { worker: [writes, submits], evaluator: [{ hang: true }] },
    has: ({ type }) => type === "check_run",
  },
  {
    when: "a commit is being made",
    script: { worker: [writes, submits, { hang: true }] },
    has: ({ type }) => type === "commit_prepared",
  },
];

/** A run and what is around it are many processes, and the machine may have others. */
const patience = { timeout: 240_000 };

async function running({ script, has }: Moment) {
  const model = await startModel(script);
  const stage = await CliStage.open(Tilth.endpoint(model), 2);
  const id = await stage.prepared();
  const before = eventsNow(stage, id).length;
  const run = stage.tilth.start(["run", stage.source]);
  await until(() => run.process.exitCode !== null || eventsNow(stage, id).slice(before).some(has));
  return {
    stage,
    id,
    run,
    events: () => eventsNow(stage, id),
    async [Symbol.asyncDispose]() {
      run.process.kill("SIGKILL");
      await stage[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const signalled = moments.map((moment, at) => ({ ...moment, signal: signals[at % 3] ?? "SIGINT" }));

test.each(someOf(signalled, 2))(
  "$signal while $when stops at a safe point within ten seconds",
  patience,
  async ({ signal, ...moment }) => {
    await using session = await running(moment);
    const sent = performance.now();
    session.run.process.kill(signal);
    const { code, stdout } = await session.run.ended;
    expect(performance.now() - sent).toBeLessThan(10_000);
    expect([code, stdout]).toEqual([
      130,
      expect.stringContaining(`stopped: interrupted\n  → tilth resume ${session.id}`),
    ]);
    expect(session.events().at(-1)).toMatchObject({ type: "stop", payload: { reason: "interrupted" } });
    expect(await session.stage.onEngine("containers")).toEqual([]);
    await expectResumable(session.stage, session.id);
  },
);

test.each(someOf(moments.slice(1), 3))("a second Ctrl-C while $when ends it at once", patience, async (moment) => {
  await using session = await running(moment);
  session.run.process.kill("SIGINT");
  await new Promise((resolve) => setTimeout(resolve, 400));
  const sent = performance.now();
  session.run.process.kill("SIGINT");
  const { code } = await session.run.ended;
  expect(performance.now() - sent).toBeLessThan(5_000);
  expect(code).toBe(130);
  await expectResumable(session.stage, session.id);
});

test("a terminal that is closed is a signal too, with nobody left to read or be written to", patience, async () => {
  await using model = await startModel({ worker: [{ hang: true }] });
  await using stage = await CliStage.open(Tilth.endpoint(model));
  const id = await stage.prepared();
  using terminal = new Terminal([process.execPath, compiledTilth(), "run", stage.source], stage.tilth.env);
  await until(() => eventsNow(stage, id).some(workerIsUp));
  terminal.close();
  // the last thing that it does before it ends
  await until(() => !existsSync(join(stage.tilth.home, "sessions", id, "lock")));
  expect(eventsNow(stage, id).at(-1)).toMatchObject({ type: "stop", payload: { reason: "interrupted" } });
  await expectResumable(stage, id);
});

test("a closed terminal that is told of twice is one signal", patience, async () => {
  const script = { worker: [{ calls: [["bash", { command: "trap '' TERM; sleep 300 & wait; sleep 300" }]] }] } as const;
  await using session = await running({ when: "a command runs", script, has: calls("bash") });
  session.run.process.kill("SIGHUP");
  await new Promise((resolve) => setTimeout(resolve, 400));
  session.run.process.kill("SIGHUP");
  expect(await session.run.ended).toMatchObject({ code: 130 });
  expect(session.events().at(-1)).toMatchObject({ type: "stop", payload: { reason: "interrupted" } });
});

test("a reader of both outputs that goes away stops nothing and breaks nothing", patience, async () => {
  await using model = await startModel({ worker: [writes, submits] });
  await using stage = await CliStage.open(Tilth.endpoint(model));
  const id = await stage.prepared();
  const run = stage.tilth.start(["run", stage.source]);
  run.process.stdout?.destroy();
  run.process.stderr?.destroy();
  expect((await run.ended).code).toBe(0);
  expect(eventsNow(stage, id).at(-1)).toMatchObject({ type: "stop", payload: { reason: "all_done" } });
});

test(
  "Ctrl-C while the engine has fallen silent ends the run all the same, and it can be gone on with",
  patience,
  async () => {
    await using model = await startModel({ worker: [{ hang: true }, ...doing(1)] });
    await using stage = await CliStage.open(Tilth.endpoint(model));
    await using engine = await StallingEngine.open();
    const id = await stage.prepared();
    const run = stage.tilth.start(["run", stage.source], { DOCKER_HOST: engine.address });
    await run.said(/isolation proved/);
    engine.stall();
    run.process.kill("SIGINT");
    expect(await run.ended).toMatchObject({
      code: 130,
      stderr: expect.stringContaining("nothing waits for it any longer"),
    });
    await engine[Symbol.asyncDispose]();
    await expectResumable(stage, id);
    expect(await stage.tilth.run(["resume", id])).toMatchObject({ code: 0 });
  },
);
