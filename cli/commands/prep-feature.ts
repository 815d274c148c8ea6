import { resolve } from "node:path";
import { TilthError } from "../../runner/base/errors.js";
import { hostPath } from "../../runner/base/ids.js";
import {
  addAgain,
  appendTasks,
  type InterviewOrder,
  type PrepEnd,
  prepFeature as prepare,
  SessionStore,
  startAgain,
} from "../../runner/index.js";
import type { ModelSettings } from "../../runner/settings/settings.js";
import { shellWord } from "../../runner/source/git/shell-word.js";
import { workTreeAround } from "../choosing/choose-session.js";
import { type InFlightFlags, policyOf, settleInFlight } from "../choosing/in-flight-flags.js";
import { type Interviewed, openInterviewed } from "../choosing/interviewed.js";
import { exitFound, exitOk } from "../output/exit-codes.js";
import { sayPrepared } from "../output/say-prepared.js";
import type { Surroundings } from "../output/surroundings.js";
import { loadModelSettings, type RunFlags, withFlags } from "../settings/settings.js";
import { InterviewProgress } from "../watch/interview-progress.js";
import { runPicked } from "./run-chosen.js";

export interface PrepOptions extends InFlightFlags, RunFlags {
  readonly brief?: string;
  readonly answers?: string;
  readonly append?: string;
  readonly trustSource?: boolean;
}

/** The input for both a new session and tasks added to one. */
interface Call {
  readonly source: string;
  readonly settings: ModelSettings;
  readonly store: SessionStore;
  readonly interviewed: Interviewed;
  readonly trustSource: boolean;
}

export async function prepFeature(around: Surroundings, source: string, options: PrepOptions): Promise<number> {
  const policy = policyOf(options);
  if (options.append !== undefined && policy !== "refuse")
    throw new TilthError("usage", "--append cannot be combined with --force or --keep-existing", "leave them out");
  const interviewed = await openInterviewed(around.output, source, options);
  const settings = withFlags(loadModelSettings(), options);
  const store = new SessionStore(hostPath(settings.home));
  const call = { source, settings, store, interviewed, trustSource: options.trustSource ?? false };
  return options.append === undefined
    ? await prepareAnew(around, call, policy)
    : await append(around, call, options.append);
}

async function prepareAnew(around: Surroundings, call: Call, policy: ReturnType<typeof policyOf>): Promise<number> {
  const { source, settings, store, interviewed, trustSource } = call;
  const picked = interviewed.present
    ? await settleInFlight(around, { store, source, policy })
    : { kind: "go_on" as const, inFlight: policy };
  if (picked.kind === "cancelled") return declined(around);
  if (picked.kind === "run") return await runPicked(around, { settings, store, row: picked.row, trustSource });
  const end = await told(around, call, (order) => prepare({ ...order, source, inFlight: picked.inFlight }));
  if (end.kind === "declined") return declined(around);
  if (end.kind === "prepared") sayPrepared(around.output, end);
  else sayFailed(around, `session ${end.id} failed: ${end.why}`, startAgain(source, picked.inFlight));
  return end.kind === "prepared" ? exitOk : exitFound;
}

async function append(around: Surroundings, call: Call, id: string): Promise<number> {
  const files = call.store.open(id);
  const rows = call.store.ofSource(workTreeAround(resolve(call.source)));
  files.loadCheckpoint();
  if (!rows.some((row) => row.id === files.id))
    throw new TilthError(
      "usage",
      `session ${files.id} does not belong to ${shellWord(call.source)}`,
      "list the sessions: tilth sessions",
    );
  const end = await told(around, call, (order) => appendTasks({ ...order, files }));
  if (end.kind === "declined") return declined(around);
  if (end.kind === "prepared") sayPrepared(around.output, { ...end, added: true });
  else sayFailed(around, `nothing was added to session ${files.id}: ${end.why}`, addAgain(call.source, files.id));
  return end.kind === "prepared" ? exitOk : exitFound;
}

type Holding = (order: InterviewOrder) => Promise<PrepEnd>;

/** Holds the interview and returns its end once all progress is shown, which goes to another stream than the result. */
async function told({ output, signal }: Surroundings, call: Call, hold: Holding): Promise<PrepEnd> {
  const { settings, interviewed, trustSource } = call;
  const progress = new InterviewProgress(output, signal);
  try {
    return await hold({
      ...{ settings, trustSource, signal },
      brief: interviewed.brief,
      frontend: interviewed.frontend,
      say: (line) => output.say(line),
      onEvent: (event) => progress.show(event),
      onProgress: (chars) => progress.arriving(chars),
    });
  } finally {
    progress[Symbol.dispose]();
    await output.drain(signal);
  }
}

function sayFailed({ output }: Surroundings, what: string, again: string): void {
  output.print(what);
  output.print(`  → try again: ${again}`);
}

function declined({ output }: Surroundings): number {
  output.say("nothing was done");
  return exitOk;
}
