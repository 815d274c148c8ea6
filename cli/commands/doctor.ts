import { TilthError } from "../../runner/errors.js";
import { examine, type Finding } from "../../runner/index.js";
import type { Settings } from "../../runner/settings.js";
import { exitFound, exitOk } from "../exit-codes.js";
import { green, line, red } from "../painted.js";
import { loadModelSettings, loadSettings } from "../settings.js";
import type { Surroundings } from "../surroundings.js";

export async function doctor({ output, signal }: Surroundings, options: { json?: boolean }): Promise<number> {
  const { settings, problem } = settingsAndEndpoint();
  const findings = [...(await examine(settings, signal)), ...(problem ? [problem] : [])];
  const sound = findings.every((finding) => finding.ok);
  if (options.json) output.printJson({ ok: sound, findings });
  else
    for (const { name, ok, seen, remedy } of findings) {
      output.print(line`${ok ? green("ok") : red("problem")}  ${name}: ${seen}`);
      if (remedy !== "") output.print(line`  → ${remedy}`);
    }
  return sound ? exitOk : exitFound;
}

/** A missing endpoint is a finding; a garbage value is an error of the call, as in every verb. */
function settingsAndEndpoint(): { settings: Settings; problem: Finding | null } {
  const settings = loadSettings();
  try {
    return { settings: loadModelSettings(), problem: null };
  } catch (error) {
    if (!(error instanceof TilthError)) throw error;
    return { settings, problem: { name: "endpoint", ok: false, seen: error.message, remedy: error.hint } };
  }
}
