import { hostPath } from "../../runner/base/ids.js";
import { type DemoPlace, makeDemoPlace } from "../../runner/demo/demo-place.js";
import { demoScript } from "../../runner/demo/demo-script.js";
import { scriptedEndpoints } from "../../runner/demo/script/script.js";
import { ScriptedModel } from "../../runner/demo/scripted-model.js";
import { findHands, runSession, SessionStore, stageSeed } from "../../runner/index.js";
import type { ModelSettings } from "../../runner/settings/settings.js";
import { exitCodeOfStop } from "../output/exit-codes.js";
import { sayEnd } from "../output/summary-text.js";
import type { Surroundings } from "../output/surroundings.js";
import { loadModelSettings, loadSettings } from "../settings/settings.js";
import { forPerson } from "../watch/watch.js";

export async function demo(around: Surroundings, options: { live?: boolean }): Promise<number> {
  const { output, signal } = around;
  const live = options.live ? loadModelSettings() : null;
  const given = live ?? loadSettings();
  // checked before there is a folder to leave behind
  await findHands({ settings: given, signal });
  const place = await makeDemoPlace(given.host, signal);
  output.say(`the demo's repository and sessions are in ${place.folder}; your own are left alone`);
  await using model = await ScriptedModel.start(demoScript);
  const endpoints = live?.endpoints ?? scriptedEndpoints(model.baseUrl, null);
  return await play(around, place, { ...given, home: place.home, endpoints });
}

/** Does what `seed` and `run` do, one after the other. */
async function play({ output, signal }: Surroundings, place: DemoPlace, settings: ModelSettings): Promise<number> {
  const said = new Set<string>();
  const say = (line: string) => {
    if (!said.has(line)) output.say(line);
    said.add(line);
  };
  const common = { settings, trustSource: false, signal, say };
  const staged = await stageSeed({ ...common, source: place.source, from: place.seed, inFlight: "refuse" });
  const files = new SessionStore(hostPath(settings.home)).open(staged.id);
  const watch = forPerson(output, { files, caps: settings.caps });
  const told = { onEvent: watch.heard, onUsedSoFar: watch.usedSoFar, onProgress: watch.arriving };
  const end = await runSession({ ...common, ...told, files }).finally(() => watch.end(signal));
  sayEnd(output, files, end);
  if (end.stop.reason === "error") throw end.cause;
  const branch = `session/${staged.id}`;
  if (!signal.aborted) output.print(`\n${branch}, newest first:\n${await place.log(branch, signal)}`);
  output.print(whereToLook(place, branch, files.id));
  return exitCodeOfStop(end.stop.reason);
}

function whereToLook({ folder, source, home }: DemoPlace, branch: string, id: string): string {
  const session = `${home}/sessions/${id}`;
  return [
    "Where to look:",
    `  git -C ${source} log -p ${branch}    what was accepted`,
    `  TILTH_HOME=${home} tilth visualize ${id}    writes a page of all that happened`,
    `  ${session}/events.jsonl    everything that happened`,
    `  ${session}/ledger    the cases and the verdicts on them`,
    `  ${session}/proposed-learnings.md    what was learned on the way`,
    `Remove it all: rm -rf ${folder}`,
  ].join("\n");
}
