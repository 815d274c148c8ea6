import { TilthError } from "../../runner/base/errors.js";
import { examine, examineLive, examineMachine, type Finding, type Live, sharedEndpoints } from "../../runner/index.js";
import type { ModelSettings, Settings } from "../../runner/settings/settings.js";
import { exitFound, exitOk } from "../output/exit-codes.js";
import { LiveProgress } from "../output/live-progress.js";
import { liveTable } from "../output/live-table.js";
import type { Output } from "../output/output.js";
import { green, line, red } from "../output/painted.js";
import type { Surroundings } from "../output/surroundings.js";
import { loadModelSettings, loadSettings } from "../settings/settings.js";

export interface DoctorOptions {
  readonly live?: boolean;
  readonly json?: boolean;
}

export async function doctor(around: Surroundings, { live = false, json = false }: DoctorOptions): Promise<number> {
  const { output, signal } = around;
  const given = settingsAndEndpoint();
  const findings = await (live ? examineMachine : examine)(given.settings, signal);
  const asked = live && given.problem === null ? await askModels(around, given.settings) : nothingAsked;
  const all = [...findings, ...asked.findings, ...(given.problem === null ? [] : [given.problem])];
  const ok = all.every((finding) => finding.ok);
  if (json) output.printJson({ ok, findings: all, ...(live ? { live: asked.reports } : {}) });
  else {
    printFindings(output, all);
    for (const text of liveTable(asked.reports, output.tableColumns)) output.print(text);
  }
  return ok ? exitOk : exitFound;
}

const nothingAsked: Live = { findings: [], reports: [] };

async function askModels({ output, signal }: Surroundings, settings: ModelSettings): Promise<Live> {
  using progress = new LiveProgress(output, sharedEndpoints(settings.endpoints));
  return await examineLive(settings, signal, progress);
}

function printFindings(output: Output, findings: readonly Finding[]): void {
  for (const { name, ok, seen, remedy } of findings) {
    output.print(line`${ok ? green("ok") : red("problem")}  ${name}: ${seen}`);
    if (remedy !== "") output.print(line`  → ${remedy}`);
  }
}

type SettingsOutcome =
  | { readonly settings: ModelSettings; readonly problem: null }
  | { readonly settings: Settings; readonly problem: Finding };

/** A missing endpoint is a finding; a malformed value is an error of the call, as in every verb. */
function settingsAndEndpoint(): SettingsOutcome {
  const settings = loadSettings();
  try {
    return { settings: loadModelSettings(), problem: null };
  } catch (error) {
    if (!(error instanceof TilthError)) throw error;
    return { settings, problem: { name: "endpoint", ok: false, seen: error.message, remedy: error.hint } };
  }
}
