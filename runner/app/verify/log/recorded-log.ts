import { TilthError } from "../../../base/errors.js";
import { readEvents } from "../../../session/log/event-reader.js";
import type { EventType, Payload, TilthEvent } from "../../../session/log/events.js";
import { absent, type Findings } from "./findings.js";

/** Events that the comparisons need; the rest (prompts, replies, tool results) would only fill the memory. */
const kept: ReadonlySet<EventType> = new Set([
  "session_start",
  "session_resume",
  "session_prepared",
  "environment",
  "seed_committed",
  "red_check",
  "counter_check",
  "base_suite",
  "suite_run",
  "check_run",
  "evaluator_verdict",
  "ledger_appended",
  "task_done",
  "task_failed",
  "commit_prepared",
  "commit",
  "stop",
] satisfies EventType[]);

export interface LoggedEvent<T extends EventType> {
  readonly type: T;
  readonly line: number;
  readonly payload: Payload<T>;
}

type AnyLogged = { [T in EventType]: LoggedEvent<T> }[EventType];

/** The events of a session that something is compared with, each with its line. */
export class RecordedLog {
  readonly #kept: AnyLogged[] = [];
  #last: TilthEvent | null = null;
  #lines = 0;

  add(event: TilthEvent): void {
    this.#lines += 1;
    this.#last = event;
    if (event.type === "session_start" || event.type === "seed_committed") this.#dropUntaken();
    if (kept.has(event.type))
      this.#kept.push({ type: event.type, line: this.#lines, payload: event.payload } as AnyLogged);
  }

  /**
   * Drops a seed that was never taken: its interview was cut short while adding tasks, and the next start moved the
   * branch back.
   */
  #dropUntaken(): void {
    const seed = this.#kept.findLastIndex(({ type }) => type === "seed_committed");
    const isTaken = this.#kept.slice(seed).some(({ type }) => type === "session_prepared");
    if (seed >= 0 && !isTaken) this.#kept.splice(seed, 1);
  }

  get lines(): number {
    return this.#lines;
  }

  get last(): TilthEvent | null {
    return this.#last;
  }

  /**
   * True if the last run, or the staging, came to its end; otherwise a crash cut it short, and what `resume` mends is
   * missing.
   */
  get isClosed(): boolean {
    return this.#last?.type === "stop" || this.#last?.type === "session_prepared";
  }

  of<T extends EventType>(...types: readonly T[]): readonly { [E in T]: LoggedEvent<E> }[T][] {
    const wanted: ReadonlySet<EventType> = new Set(types);
    return this.#kept.filter(({ type }) => wanted.has(type)) as unknown as { [E in T]: LoggedEvent<E> }[T][];
  }
}

export function lineOfLog(logged: { readonly line: number; readonly type: EventType }, field?: string): string {
  return `events.jsonl line ${logged.line} (${logged.type})${field === undefined ? "" : `, payload.${field}`}`;
}

/**
 * Reads the log to its end and passes each event to `listeners`. Returns null if it breaks off at a line that is no
 * event: that line is reported as the difference, because everything after it would only look like many more.
 */
export async function readLog(
  path: string,
  listeners: readonly ((event: TilthEvent, line: number) => void)[],
  findings: Findings,
): Promise<RecordedLog | null> {
  const log = new RecordedLog();
  let seq = -1;
  try {
    for await (const event of readEvents(path)) {
      log.add(event);
      if (event.seq !== seq + 1)
        findings.hold("event log", `events.jsonl line ${log.lines}, seq`, { expected: seq + 1, seen: event.seq });
      seq = event.seq;
      for (const listener of listeners) listener(event, log.lines);
    }
  } catch (error) {
    if (!(error instanceof TilthError) || error.code !== "usage") throw error;
    const where = `events.jsonl line ${log.lines + 1}`;
    findings.differ({ what: "event log", where, expected: "an event", seen: error.message });
    return null;
  }
  if (log.lines > 0) return log;
  findings.differ({ what: "event log", where: "events.jsonl", expected: "the session's events", seen: absent });
  return null;
}
