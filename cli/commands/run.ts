import { hostPath } from "../../runner/base/ids.js";
import { SessionStore, sessionsInFlight } from "../../runner/index.js";
import type { ModelSettings } from "../../runner/settings/settings.js";
import { atTerminal, choosing } from "../choosing/at-terminal.js";
import { chooseSession, type NonePrepared } from "../choosing/choose-session.js";
import { flagsFor } from "../choosing/in-flight-flags.js";
import { pickInsteadOfRun } from "../choosing/pickers.js";
import { exitOk } from "../output/exit-codes.js";
import type { Surroundings } from "../output/surroundings.js";
import { loadModelSettings, type RunFlags, withFlags } from "../settings/settings.js";
import { prepFeature } from "./prep-feature.js";
import { runChosen, runPicked } from "./run-chosen.js";

export interface RunOptions extends RunFlags {
  readonly session?: string;
  readonly trustSource?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

export async function run(around: Surroundings, source: string | undefined, options: RunOptions): Promise<number> {
  const settings = withFlags(loadModelSettings(), options);
  const store = new SessionStore(hostPath(settings.home));
  const choice = chooseSession(store, { source, session: options.session });
  const { trustSource = false, quiet = false, json = false } = options;
  switch (choice.kind) {
    case "finished":
      around.output[json ? "say" : "print"](`session ${choice.row.id} is all done; there is nothing to run`);
      return exitOk;
    case "none":
      if (json) throw choice.refusal;
      return await insteadOfRun(around, { settings, store, choice, options });
    case "run":
      return await runChosen(around, { verb: "run", settings, store, row: choice.row, trustSource, quiet, json });
  }
}

interface Instead {
  readonly settings: ModelSettings;
  readonly store: SessionStore;
  readonly choice: NonePrepared;
  readonly options: RunOptions;
}

async function insteadOfRun(around: Surroundings, instead: Instead): Promise<number> {
  const { settings, store, choice, options } = instead;
  const { trustSource = false } = options;
  if (!atTerminal()) throw choice.refusal;
  const { output, signal } = around;
  const picked = await pickInsteadOfRun(sessionsInFlight(store, choice.source), choosing(output, signal));
  if (picked.kind === "go_on")
    return await prepFeature(around, choice.source, { ...options, ...flagsFor(picked.inFlight) });
  if (picked.kind === "run") return await runPicked(around, { settings, store, row: picked.row, trustSource });
  output.say("nothing was done");
  return exitOk;
}
