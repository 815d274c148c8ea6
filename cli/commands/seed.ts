import { SessionStore, stageSeed } from "../../runner/index.js";
import { hostPath } from "../../runner/support/ids.js";
import { exitOk } from "../exit-codes.js";
import { type InFlightFlags, policyOf, settleInFlight } from "../in-flight-flags.js";
import { runPicked } from "../run-chosen.js";
import { sayPrepared } from "../say-prepared.js";
import { loadModelSettings, loadSettings } from "../settings.js";
import type { Surroundings } from "../surroundings.js";

export interface SeedOptions extends InFlightFlags {
  readonly from: string;
  readonly trustSource?: boolean;
}

export async function seed(around: Surroundings, source: string, options: SeedOptions): Promise<number> {
  const { output, signal } = around;
  const policy = policyOf(options);
  const settings = loadSettings();
  const store = new SessionStore(hostPath(settings.home));
  const { trustSource = false } = options;
  const picked = await settleInFlight(around, { store, source, policy });
  if (picked.kind === "cancelled") output.say("nothing was done");
  if (picked.kind === "cancelled") return exitOk;
  if (picked.kind === "run")
    return await runPicked(around, { settings: loadModelSettings(), store, row: picked.row, trustSource });
  const { from } = options;
  const say = (line: string) => output.say(line);
  const staged = await stageSeed({ settings, source, from, inFlight: picked.inFlight, trustSource, signal, say });
  sayPrepared(output, staged);
  return exitOk;
}
