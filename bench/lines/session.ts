import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type RunEnd, runSession } from "../../runner/index.js";
import { makeSource } from "../../test/helpers/sources.js";
import type { Bench, Line, Reading } from "../line.js";
import { runLocally, stageLocally } from "../local/local-brain.js";
import { hostPython } from "../local/python.js";
import { PlayedModel } from "../played-model.js";
import { pythonFiles } from "../python-files.js";
import { fiveTasks, tasks } from "../session-play.js";
import { stage, writeSeed } from "../staged.js";
import { interleave } from "../statistics.js";

const what = "a session of five tasks, model time excluded: ours / the same brain without containers";

export const session: Line = {
  name: "session",
  async measure(bench) {
    const python = await hostPython(bench.settings);
    if ("missing" in python) return [{ what, unit: "ratio", value: null, bound: 1, of: {}, note: python.missing }];
    const source = mkdtempSync(join(bench.folder, "source-"));
    await makeSource(source, pythonFiles(200));
    const seed = writeSeed(bench, tasks);
    const of = await interleave(
      {
        "in containers": () => inContainers(bench, source, seed),
        "on the host": () => onTheHost(bench, source, seed, python.bin),
      },
      bench.times(7),
      1,
    );
    const value = of["in containers"].median / of["on the host"].median;
    const reading: Reading = { what, unit: "ratio", value, bound: 1, of };
    return [reading];
  },
};

async function inContainers(bench: Bench, source: string, seed: string): Promise<number> {
  const files = await stage(bench, source, seed);
  await using model = await PlayedModel.start(fiveTasks());
  const settings = { ...bench.settings, endpoints: model.endpoints };
  const said = { say: () => undefined, onEvent: () => undefined };
  return await timed(model, () => runSession({ settings, files, trustSource: false, signal: bench.signal, ...said }));
}

async function onTheHost(bench: Bench, source: string, seed: string, bin: string): Promise<number> {
  const staged = await stageLocally(bench, source, seed, bin);
  await using model = await PlayedModel.start(fiveTasks());
  return await timed(model, () => runLocally(bench, staged, model.endpoints));
}

/** The time of the run without the time of its model. */
async function timed(model: PlayedModel, run: () => Promise<RunEnd>): Promise<number> {
  const began = performance.now();
  const { stop } = await run();
  const took = performance.now() - began;
  if (stop.reason !== "all_done") throw new Error(`the session stopped: ${stop.reason} ${stop.detail}`);
  const thought = model.asked.reduce((sum, { arrivedAt, answeredAt }) => sum + answeredAt - arrivedAt, 0);
  return took - thought;
}
