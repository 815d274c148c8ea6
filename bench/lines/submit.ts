import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { SpokenTurn } from "../../runner/demo/script/script.js";
import { runSession } from "../../runner/index.js";
import { makeSource } from "../../test/helpers/sources.js";
import { BareCheck } from "../bare-check.js";
import type { Bench, Line, Reading } from "../line.js";
import { PlayedModel, type ReceivedRequest } from "../played-model.js";
import { pythonFiles } from "../python-files.js";
import { answerTask, answerTest, answerText, stage, writeSeed } from "../staged.js";
import { type Spread, spreadOf } from "../statistics.js";
import { calls, nothingLearned, submitted, verdict } from "../turns.js";

/** Long enough for whatever is started ahead, and short for a model. */
const thinkMs = 600;

const { module, testName } = answerTask(1);
const test = `tests/${testName}`;

export const submit: Line = {
  name: "submit",
  async measure(bench) {
    const source = mkdtempSync(join(bench.folder, "source-"));
    await makeSource(source, pythonFiles(200));
    const seed = writeSeed(bench, 1);
    await using bare = await BareCheck.open(bench, {
      ...pythonFiles(200),
      [module]: answerText(1),
      [test]: answerTest(1),
    });
    const times: number[] = [];
    const beside = async () => void times.push(await bare.time());
    const ours = await submits(bench, { source, seed, thinkMs, times: bench.times(16), beside });
    const hurried = await submits(bench, { source, seed, thinkMs: 0, times: bench.times(8), beside: null });
    return [reading(ours, hurried, spreadOf(times))];
  },
};

function reading(ours: Spread, hurried: Spread, bare: Spread): Reading {
  return {
    what: "submit → evaluator request, 200 files / bare pytest + ruff in the image",
    unit: "ratio",
    value: ours.median / bare.median,
    bound: 0.8,
    of: {
      "submit to evaluator": ours,
      "python -m pytest, then ruff check .": bare,
      "submit to evaluator, a model that never thinks": hurried,
    },
    note: `between replies the model takes ${thinkMs} ms; one that takes none leaves no time to start a container ahead`,
  };
}

export interface Submits {
  readonly source: string;
  readonly seed: string;
  readonly thinkMs: number;
  readonly times: number;
  /** run after each submit of ours, while nothing else of ours runs */
  readonly beside: (() => Promise<void>) | null;
}

/** Edits and submits one task over and over; the evaluator rejects it every time but the last. */
export async function submits(bench: Bench, { source, seed, thinkMs: think, times, beside }: Submits): Promise<Spread> {
  const files = await stage(bench, source, seed);
  await using model = await PlayedModel.start({
    thinkMs: think,
    turn: async ({ role, index }) => {
      if (role === "self_improve") return nothingLearned;
      if (role === "worker") return index % 2 === 0 ? edited(index) : submitted(`${module}:answer`);
      await beside?.();
      return verdict(index >= times);
    },
  });
  const settings = { ...bench.settings, endpoints: model.endpoints };
  const said = { say: () => undefined, onEvent: () => undefined };
  const end = await runSession({ settings, files, trustSource: false, signal: bench.signal, ...said });
  if (end.stop.reason !== "all_done") throw new Error(`the session stopped: ${end.stop.reason} ${end.stop.detail}`);
  const evaluations = model.of("evaluator").slice(1);
  return spreadOf(evaluations.map((asked) => sinceSubmit(model.asked, asked)));
}

function edited(index: number): SpokenTurn {
  return calls(["write_file", { path: module, content: answerText(1, `try ${index}`) }]);
}

function sinceSubmit(all: readonly ReceivedRequest[], evaluator: ReceivedRequest): number {
  const before = all.slice(0, all.indexOf(evaluator)).findLast(({ role }) => role === "worker");
  if (before === undefined) throw new Error("nobody submitted");
  return evaluator.arrivedAt - before.answeredAt;
}
