import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Script } from "../../runner/demo/script/script.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { seedOf } from "../helpers/interviews.js";
import { startModel } from "../helpers/scripted-model.js";
import { eventsNow } from "../helpers/stopped.js";
import { type Running, Tilth } from "../helpers/tilth.js";

// npm run freeze [-- SECONDS]: stops a real brain (SIGSTOP) for 75 seconds at each kind of step, and four times in one session

const seconds = Number(process.argv[2] ?? 75);

interface Moment {
  readonly step: string;
  readonly has: (event: TilthEvent) => boolean;
  /** milliseconds into the step */
  readonly afterMs?: number;
}

const calls =
  (tool: string, task = "T-001") =>
  (event: TilthEvent) =>
    event.type === "tool_call" && event.payload.tool === tool && (event.payload.task_id ?? task) === task;

/** the container may still be starting when the step begins */
const inContainerMs = 8_000;

const modelCall: Moment = { step: "model call", has: ({ type }) => type === "prompt_assembled" };
const shortCommand: Moment = { step: "tool call that ends meanwhile", has: calls("bash"), afterMs: inContainerMs };
const longCommand: Moment = { step: "tool call that goes on", has: calls("bash"), afterMs: inContainerMs };
const snapshot: Moment = { step: "snapshot", has: calls("submit_case") };
const check: Moment = { step: "check", has: calls("submit_case"), afterMs: 2_500 };
const importing: Moment = { step: "import", has: ({ type }) => type === "commit_prepared" };
const asking: Moment = { step: "interview", has: calls("glob") };

const slowAnswer = "import time\n\ntime.sleep(4)\n\n\ndef answer():\n    return 1\n";
const [writes, submits] = doing(1);
const [writesTwo, submitsTwo] = doing(2);
const [glob, handIn] = [{ calls: [["glob", { pattern: "**/*.py" }] as const] }, seedOf([1])];
if (!writes || !submits || !writesTwo || !submitsTwo) throw new Error("the stage has no replies");
const runs = (command: string) => ({ calls: [["bash", { command }] as const] });
const slow = { calls: [["write_file", { path: "pkg/m1.py", content: slowAnswer }] as const] };

const sessions: readonly {
  readonly moments: readonly Moment[];
  readonly worker: NonNullable<Script["worker"]>;
  readonly tasks?: number;
}[] = [
  { moments: [modelCall], worker: [writes, submits] },
  { moments: [shortCommand], worker: [runs("sleep 20; echo slept"), writes, submits] },
  { moments: [longCommand], worker: [runs("sleep 110"), writes, submits] },
  { moments: [snapshot], worker: [writes, submits] },
  { moments: [check], worker: [slow, submits] },
  { moments: [importing], worker: [writes, submits] },
  {
    moments: [modelCall, longCommand, check, importing],
    worker: [runs("sleep 110"), slow, submits, writesTwo, submitsTwo],
    tasks: 2,
  },
];

const ended = await Promise.all([...sessions.map(runFrozen), interviewFrozen()]);
process.exitCode = ended.every((isWhole) => isWhole) ? 0 : 1;

async function runFrozen({ moments, worker, tasks = 1 }: (typeof sessions)[number]): Promise<boolean> {
  await using model = await startModel({ worker });
  await using stage = await CliStage.open(Tilth.endpoint(model), tasks);
  const id = await stage.prepared();
  const before = eventsNow(stage, id).length;
  const run = stage.tilth.start(["run", stage.source]);
  await frozenAt(run, moments, () => eventsNow(stage, id).slice(before));
  return await said(moments, run, () => eventsNow(stage, id));
}

async function interviewFrozen(): Promise<boolean> {
  let asked = 0;
  await using model = await startModel({ interviewer: () => (asked++ === 0 ? glob : handIn) });
  const env = { ...Tilth.endpoint(model), TILTH_PREP_MODEL: "scripted-interviewer" };
  await using stage = await CliStage.open(env);
  const answers = join(stage.tilth.root, "answers.txt");
  writeFileSync(answers, "");
  const run = stage.tilth.start(["prep-feature", stage.source, "--brief", "Answers.", "--answers", answers]);
  const events = () => {
    const [id] = stage.tilth.sessions();
    return id === undefined ? [] : eventsIfAny(stage, id);
  };
  await frozenAt(run, [asking], events);
  return await said([asking], run, events);
}

function eventsIfAny(stage: CliStage, id: string): readonly TilthEvent[] {
  try {
    return eventsNow(stage, id);
  } catch {
    return [];
  }
}

async function frozenAt(run: Running, moments: readonly Moment[], events: () => readonly TilthEvent[]): Promise<void> {
  let seen = 0;
  for (const { has, afterMs = 0 } of moments) {
    for (let at = -1; at < 0; await wait(10)) {
      if (run.process.exitCode !== null) return;
      at = events().findIndex((event, index) => index >= seen && has(event));
      if (at >= 0) seen = at + 1;
    }
    await wait(afterMs);
    run.process.kill("SIGSTOP");
    await wait(seconds * 1_000);
    run.process.kill("SIGCONT");
  }
}

async function said(moments: readonly Moment[], run: Running, events: () => readonly TilthEvent[]): Promise<boolean> {
  const { code, stdout, stderr } = await run.ended;
  const lost = events().flatMap(({ type, payload }) => (type === "hands_lost" ? [payload] : []));
  const asleep = lost.map(({ role, asleep }) => `${role}${asleep ? "" : " (not asleep)"}`).join(", ");
  const where = moments.map(({ step }) => step).join(" + ");
  process.stdout.write(
    `${code === 0 ? "held" : "FAILED"}  ${where}: exit ${code}; ended meanwhile: ${asleep || "none"}\n`,
  );
  const talk = `${stdout}\n${stderr}`;
  if (code !== 0 || /container was lost|is up again/.test(talk)) process.stdout.write(`${talk}\n`);
  return code === 0 && lost.every((one) => one.asleep === true);
}
