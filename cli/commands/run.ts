import { runSession, SessionStore } from "../../runner/index.js";
import { hostPath } from "../../runner/support/ids.js";
import { chooseSession } from "../choose-session.js";
import { exitCodeOfStop, exitOk } from "../exit-codes.js";
import { Progress } from "../progress.js";
import { loadSettings } from "../settings.js";
import { sayEnd } from "../summary-text.js";
import type { Surroundings } from "../surroundings.js";

export interface RunOptions {
  readonly session?: string;
  readonly runtime?: string;
  readonly trustSource?: boolean;
  readonly quiet?: boolean;
}

export async function run(around: Surroundings, source: string | undefined, options: RunOptions): Promise<number> {
  const given = loadSettings(true);
  const settings = options.runtime ? { ...given, sandbox: { ...given.sandbox, runtime: options.runtime } } : given;
  const store = new SessionStore(hostPath(settings.home));
  const choice = chooseSession(store, { source, session: options.session });
  const { output, signal } = around;
  if (choice.kind === "finished") {
    output.print(`session ${choice.row.id} is all done; there is nothing to run`);
    return exitOk;
  }
  const files = store.open(choice.row.id);
  const progress = new Progress(output, files.loadPrd());
  if (!options.quiet) output.say(`session ${files.id}: ${choice.row.label}`);
  const end = await runSession({
    settings,
    files,
    trustSource: options.trustSource ?? false,
    signal,
    say: (line) => (options.quiet ? undefined : output.say(line)),
    onEvent: (event) => (options.quiet ? undefined : progress.show(event)),
  });
  sayEnd(output, files, end);
  if (end.stop.reason === "error") throw end.cause;
  return exitCodeOfStop(end.stop.reason);
}
