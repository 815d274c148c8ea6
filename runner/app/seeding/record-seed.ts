import type { CommitId } from "../../base/ids.js";
import { version } from "../../base/version.js";
import type { Seed } from "../../seed/seed.js";
import type { EventSink, Payload } from "../../session/log/events.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { Prd } from "../../session/state/prd.js";
import { digestOf, type InterviewRecord, type SeedMeta } from "../../session/state/seed-meta.js";
import { summarise } from "../../session/summary/summary.js";
import { countedTokens } from "../../session/summary/usage.js";
import type { Basis } from "../opening/basis.js";

export interface Preparation {
  readonly phase: Payload<"session_start">["phase"];
  readonly basis: Pick<Basis, "source" | "image">;
  readonly files: SessionFiles;
  readonly base: CommitId;
}

export function announcePreparation({ phase, basis, files, base }: Preparation, log: EventSink): void {
  const { author, workTree } = basis.source;
  log.append("session_start", {
    phase,
    session: files.id,
    source: workTree,
    base_commit: base,
    version,
    image: basis.image.id,
    author: `${author.name} <${author.email}> (${author.from})`,
  });
}

export interface PlantedSeed {
  readonly files: SessionFiles;
  readonly seed: Seed;
  readonly meta: SeedMeta;
  readonly commit: CommitId;
  readonly image: string;
}

/** The commit point is the last step, which sets the checkpoint to prepared. */
export async function recordSeed({ files, seed, meta, commit, image }: PlantedSeed, log: EventSink): Promise<void> {
  files.saveSeedMeta(meta);
  files.saveSeed(new Map(seed.tests.map((test) => [test.name, test.source])));
  files.savePrd(seed.prd);
  sayPrepared(log, seed.prd.length, meta);
  const used = await summariseUse(files);
  files.updateCheckpoint({ ...used, status: "prepared", last_commit: commit, image });
}

export interface AppendedSeed {
  readonly files: SessionFiles;
  readonly plan: Prd;
  readonly seed: Seed;
  readonly record: InterviewRecord;
  readonly commit: CommitId;
}

/**
 * The commit point is prd.json. If this is cut short, the next start takes back what was written before it, or finishes
 * the rest after it.
 */
export async function recordAppended(appended: AppendedSeed, log: EventSink): Promise<void> {
  const { files, plan, seed, record, commit } = appended;
  const meta = files.loadSeedMeta();
  files.saveSeedMeta({ ...meta, appended: [...(meta.appended ?? []), record] });
  files.savePrd([...plan, ...seed.prd]);
  await closeAppend({ files, record, commit, added: seed.prd.length }, log);
}

export interface ClosedAppend {
  readonly files: SessionFiles;
  readonly record: InterviewRecord;
  readonly commit: CommitId;
  /** tasks that the log does not have yet */
  readonly added: number;
}

export async function closeAppend({ files, record, commit, added }: ClosedAppend, log: EventSink): Promise<void> {
  if (added > 0) sayPrepared(log, added, record);
  files.updateCheckpoint({ ...(await summariseUse(files)), last_commit: commit });
}

/** Each task has exactly one test, so one count serves for both. */
function sayPrepared(log: EventSink, tasks: number, record: InterviewRecord): void {
  log.append("session_prepared", {
    prd_entries: tasks,
    test_files: tasks,
    interviewer_model: record.interviewer_model,
    tokens_used: record.tokens.total,
    record: digestOf(record),
  });
}

export async function summariseUse(files: SessionFiles): Promise<{ tokens: number; cost: number | null }> {
  const summary = await summarise(files.paths.events, null);
  files.saveSummary(summary);
  return { tokens: countedTokens(summary.usage), cost: summary.usage.cost };
}
