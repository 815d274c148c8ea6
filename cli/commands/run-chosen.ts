import { forecastOf, resumeSession, runSession, type SessionRow, type SessionStore } from "../../runner/index.js";
import type { ModelSettings } from "../../runner/settings/settings.js";
import { exitCodeOfStop } from "../output/exit-codes.js";
import { forecastLine } from "../output/forecast-line.js";
import type { Output } from "../output/output.js";
import { sayEnd, sayStop } from "../output/summary-text.js";
import type { Surroundings } from "../output/surroundings.js";
import { forNobody, forPerson, forScript, type Watch, type Watched } from "../watch/watch.js";

export interface Chosen {
  readonly verb: "run" | "resume";
  readonly settings: ModelSettings;
  readonly store: SessionStore;
  readonly row: SessionRow;
  readonly trustSource: boolean;
  readonly quiet: boolean;
  /** print the log on stdout, and nothing else there */
  readonly json: boolean;
}

const works = { run: runSession, resume: resumeSession };

/** Runs or resumes a session that was just picked from a list. */
export function runPicked(around: Surroundings, picked: Omit<Chosen, "verb" | "quiet" | "json">): Promise<number> {
  const verb = picked.row.status === "prepared" ? "run" : "resume";
  return runChosen(around, { ...picked, verb, quiet: false, json: false });
}

/** Runs or resumes a session and shows it to the person. */
export async function runChosen({ output, signal }: Surroundings, chosen: Chosen): Promise<number> {
  const { verb, settings, store, row, trustSource, quiet, json } = chosen;
  const files = store.open(row.id);
  const say = (text: string) => (quiet ? undefined : output.say(text));
  if (!json) say(`session ${files.id}${row.label === "" ? "" : `: ${row.label}`}`);
  const { allowed } = settings.egress;
  if (!json && allowed.length > 0) say(`the worker may reach: ${allowed.join(", ")}; nothing else has a network`);
  const forecast = forecastOf(row, store, settings);
  // printed here because no event carries the forecast
  if (forecast !== null && !quiet) output.tell(forecastLine(forecast));
  const watch = watchFor(chosen, output, { files, caps: settings.caps });
  const told = { onEvent: watch.heard, onUsedSoFar: watch.usedSoFar, onProgress: watch.arriving };
  const order = { settings, files, trustSource, signal, say, ...told };
  const end = await works[verb](order).finally(() => watch.end(signal));
  if (json) sayStop(output, end);
  else {
    sayEnd(output, files, end);
    output.print(`page:   tilth visualize ${files.id}`);
  }
  if (end.stop.reason === "error") throw end.cause;
  return exitCodeOfStop(end.stop.reason);
}

function watchFor({ json, quiet }: Chosen, output: Output, watched: Watched): Watch {
  if (json) return forScript(output, watched);
  return quiet ? forNobody : forPerson(output, watched);
}
