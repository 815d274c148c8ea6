import { TilthError } from "../../base/errors.js";
import { readEvents } from "../../session/event-reader.js";
import type { EventType, Payload, TilthEvent } from "../../session/events.js";
import { absent, type Findings } from "./findings.js";

/** What the comparisons ask for; the rest (prompts, replies, results of tools) would only fill the memory. */
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

export interface Logged<T extends EventType> {
  readonly type: T;
  readonly line: number;
  readonly payload: Payload<T>;
}

type AnyLogged = { [T in EventType]: Logged<T> }[EventType];

/** The events of a session that something is held against, each with its line. */
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

  /** An interview that added tasks was cut short before it took them: at the next start the branch came back from there. */
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

  /** Its last run, or its staging, came to its end; else a crash cut it short, and what `resume` mends is missing. */
  get isClosed(): boolean {
    return this.#last?.type === "stop" || this.#last?.type === "session_prepared";
  }

  of<T extends EventType>(...types: readonly T[]): readonly { [E in T]: Logged<E> }[T][] {
    const wanted: ReadonlySet<EventType> = new Set(types);
    return this.#kept.filter(({ type }) => wanted.has(type)) as unknown as { [E in T]: Logged<E> }[T][];
  }
}

export function lineOfLog(logged: { readonly line: number; readonly type: EventType }, field?: string): string {
  return `events.jsonl line ${logged.line} (${logged.type})${field === undefined ? "" : `, payload.${field}`}`;
}

/**
 * Reads the log to its end, telling each event to `listeners`; null when it breaks off at a line that is no event, which
 * is then the difference to be named: everything behind it would only look like many more.
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
