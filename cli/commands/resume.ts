import { hostPath } from "../../runner/base/ids.js";
import { isFinished, SessionStore } from "../../runner/index.js";
import { latestSession } from "../choosing/choose-session.js";
import { exitOk } from "../output/exit-codes.js";
import type { Surroundings } from "../output/surroundings.js";
import { loadModelSettings, type RunFlags, withFlags } from "../settings/settings.js";
import { runChosen } from "./run-chosen.js";

export interface ResumeOptions extends RunFlags {
  readonly trustSource?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

export async function resume(around: Surroundings, id: string | undefined, options: ResumeOptions): Promise<number> {
  const { trustSource = false, quiet = false, json = false } = options;
  const settings = withFlags(loadModelSettings(), options);
  const store = new SessionStore(hostPath(settings.home));
  const row = id === undefined ? latestSession(store, around.output) : store.row(id);
  if (isFinished(row)) {
    around.output[json ? "say" : "print"](`session ${row.id} is all done; there is nothing to resume`);
    return exitOk;
  }
  return await runChosen(around, { verb: "resume", settings, store, row, trustSource, quiet, json });
}
