import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { makeDemoPlace } from "../../runner/demo/demo-place.js";
import { demoScript } from "../../runner/demo/demo-script.js";
import { type Script, type ScriptedRequest, scriptedEndpoints } from "../../runner/demo/script/script.js";
import { ScriptedModel } from "../../runner/demo/scripted-model.js";
import { runSession } from "../../runner/index.js";
import { servedByCache } from "../../test/helpers/prefixes.js";
import { makeSource } from "../../test/helpers/sources.js";
import type { Bench, Line, Reading } from "../line.js";
import { pythonFiles } from "../python-files.js";
import { fiveTaskTurns, tasks } from "../session-play.js";
import { stage, writeSeed } from "../staged.js";

/** Counts characters of the requests as they were sent. That is no time, so it is the same in every run. */
export const promptCache: Line = {
  name: "prompt-cache",
  async measure(bench) {
    const demo = await makeDemoPlace(bench.settings.host, bench.signal);
    const source = mkdtempSync(join(bench.folder, "source-"));
    await makeSource(source, pythonFiles(200));
    const ofDemo = await sent(bench, demo.source, demo.seed, demoScript);
    const ofPlay = await sent(bench, source, writeSeed(bench, tasks), played());
    return [...readings("the demo's five tasks", ofDemo), ...readings("five tasks on 200 files", ofPlay)];
  },
};

function readings(which: string, requests: readonly ScriptedRequest[]): readonly Reading[] {
  const worker = requests.filter(({ role }) => role === "worker");
  return [
    reading(`${which}, ${requests.length} replies: of all prompts, not served by a cache`, requests),
    reading(`${which}, ${worker.length} of the worker's: of its prompts, not served by a cache`, worker),
  ];
}

function reading(what: string, requests: readonly ScriptedRequest[]): Reading {
  const { all, served } = servedByCache(requests);
  return {
    what,
    unit: "ratio",
    value: 1 - served / all,
    bound: 0.1,
    of: {},
    note: `of ${all} characters`,
  };
}

async function sent(bench: Bench, source: string, seed: string, script: Script): Promise<readonly ScriptedRequest[]> {
  const files = await stage(bench, source, seed);
  await using model = await ScriptedModel.start(script);
  const settings = { ...bench.settings, endpoints: scriptedEndpoints(model.baseUrl, null) };
  const said = { say: () => undefined, onEvent: () => undefined };
  const { stop } = await runSession({ settings, files, trustSource: false, signal: bench.signal, ...said });
  if (stop.reason !== "all_done") throw new Error(`the session stopped: ${stop.reason} ${stop.detail}`);
  return model.requests;
}

function played(): Script {
  const turn = fiveTaskTurns();
  return { worker: turn, evaluator: turn, self_improve: turn };
}
