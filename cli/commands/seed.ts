import { hostPath } from "../../runner/base/ids.js";
import { SessionStore, stageSeed } from "../../runner/index.js";
import { type InFlightFlags, policyOf, settleInFlight } from "../choosing/in-flight-flags.js";
import { exitOk } from "../output/exit-codes.js";
import { sayPrepared } from "../output/say-prepared.js";
import type { Surroundings } from "../output/surroundings.js";
import { loadModelSettings, loadSettings } from "../settings/settings.js";
import { runPicked } from "./run-chosen.js";

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
