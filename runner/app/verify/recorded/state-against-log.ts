import type { SessionId } from "../../../base/ids.js";
import { progressLine } from "../../../session/session-files.js";
import type { Checkpoint, SessionStatus } from "../../../session/state/checkpoint.js";
import type { Prd, TaskStatus } from "../../../session/state/prd.js";
import { digestOf, type SeedMeta } from "../../../session/state/seed-meta.js";
import { statusAfter } from "../../running/end-run.js";
import type { Findings } from "../log/findings.js";
import type { RecordedLog } from "../log/recorded-log.js";
import { unlikeLines } from "./aligned-lines.js";

/** Checks the checkpoint, as far as the events determine it. */
export function compareCheckpoint(
  checkpoint: Checkpoint,
  { id, log, findings }: { readonly id: SessionId; readonly log: RecordedLog; readonly findings: Findings },
): void {
  const starts = log.of("session_start").map(({ payload }) => payload);
  const status = statusBy(log);
  const last = log.of("seed_committed", "commit").at(-1)?.payload.sha;
  const image = log.of("session_resume").length === 0 ? starts.at(-1)?.image : undefined;
  const [start] = starts;
  const expected = {
    id,
    ...(start === undefined ? {} : { source: start.source, base_commit: start.base_commit }),
    ...(last === undefined ? {} : { last_commit: last }),
    ...(status === null ? {} : { status }),
    ...(image === undefined ? {} : { image }),
  };
  holdFields("checkpoint", "checkpoint.json", { expected, seen: checkpoint, findings });
  for (const { line, payload } of log.of("session_start"))
    findings.hold("session", `events.jsonl line ${line} (session_start), payload.session`, {
      expected: id,
      seen: payload.session,
    });
  findings.compared.push("checkpoint.json, with the log");
}

function statusBy(log: RecordedLog): SessionStatus | null {
  if (log.last?.type === "stop") return statusAfter(log.last.payload.reason);
  return log.last?.type === "session_prepared" ? "prepared" : null;
}

/** Checks that prd.json has the last status the log gives each task. */
export function compareStatuses(prd: Prd, log: RecordedLog, findings: Findings): void {
  const told = new Map<string, TaskStatus>();
  for (const logged of log.of("task_done", "task_failed", "session_resume")) {
    if (logged.type === "session_resume") for (const id of logged.payload.retried) told.set(id, "pending");
    else told.set(logged.payload.task_id, logged.type === "task_done" ? "done" : "failed");
  }
  for (const { id, status } of prd)
    findings.hold(`status of ${id}`, `prd.json, ${id}.status`, { expected: told.get(id) ?? "pending", seen: status });
  const known = new Set(prd.map(({ id }) => id));
  for (const id of told.keys())
    if (!known.has(id)) findings.hold(`task ${id}`, "prd.json", { expected: id, seen: undefined });
  findings.compared.push("status of every task and progress.txt, with the log");
}

/** Checks that progress.txt has one line for each outcome of a task, in the order of the log. */
export function compareProgress(
  progress: readonly string[],
  { prd, log, findings }: { readonly prd: Prd; readonly log: RecordedLog; readonly findings: Findings },
): void {
  const titles = new Map(prd.map(({ id, title }) => [id, title]));
  const expected = log.of("task_done", "task_failed").map((logged) => {
    const { task_id: id } = logged.payload;
    const outcome = logged.type === "task_done" ? "done" : logged.payload.reason;
    return progressLine({ id, outcome, title: titles.get(id) ?? "" });
  });
  for (const pair of unlikeLines(expected, progress, (one, other) => one === other))
    findings.hold("progress", `progress.txt line ${pair.at + 1}`, {
      expected: pair.expected ?? undefined,
      seen: pair.seen ?? undefined,
    });
}

/** Compares the numbers of each staging: of the first, and of interviews that added tasks. */
export function compareStaging(
  log: RecordedLog,
  {
    prd,
    seedMeta,
    findings,
  }: { readonly prd: Prd | null; readonly seedMeta: SeedMeta | null; readonly findings: Findings },
): void {
  const prepared = log.of("session_prepared").map(({ payload }) => payload);
  const entries = prepared.reduce((sum, { prd_entries }) => sum + prd_entries, 0);
  if (prd) findings.hold("tasks", "prd.json, number of tasks", { expected: entries, seen: prd.length });
  if (seedMeta === null) return;
  const interviews = [seedMeta, ...(seedMeta.appended ?? [])];
  findings.hold("seed-meta", "seed-meta.json", {
    expected: prepared.map(({ interviewer_model, tokens_used, record }) => ({
      interviewer_model,
      total: tokens_used,
      ...(record === undefined ? {} : { record }),
    })),
    seen: interviews.map((interview, at) => ({
      interviewer_model: interview.interviewer_model,
      total: interview.tokens.total,
      ...(prepared[at]?.record === undefined ? {} : { record: digestOf(interview) }),
    })),
  });
}

/** Compares only the fields that `expected` has. */
function holdFields<T extends object>(
  what: string,
  where: string,
  { expected, seen, findings }: { readonly expected: Partial<T>; readonly seen: T; readonly findings: Findings },
): void {
  const named = Object.fromEntries(Object.keys(expected).map((key) => [key, seen[key as keyof T]]));
  findings.hold(what, where, { expected, seen: named });
}
