import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { type Clock, systemClock } from "../../base/clock.js";
import { TilthError } from "../../base/errors.js";
import { diskTrouble } from "../../disk/disk-trouble.js";
import { type FileIo, nodeIo, syncFolder, writeWhole } from "../../disk/file-io.js";
import { sayIssue } from "../state/state-file.js";
import { type EventSink, type EventType, eventPayloads, eventSchema, type Payload, type TilthEvent } from "./events.js";
import { lastLine } from "./log-tail.js";

/** Events that later state relies on: durable before `append` returns. */
export const synced: ReadonlySet<EventType> = new Set([
  "seed_committed",
  "session_prepared",
  "evaluator_verdict",
  "commit_prepared",
  "commit",
  "stop",
]);

const { O_RDWR, O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;

export interface EventLogOptions {
  readonly io?: FileIo;
  readonly clock?: Pick<Clock, "now">;
}

/**
 * The append side of events.jsonl. Only the holder of the session's lock opens one: opening cuts a torn tail off into
 * events.torn, and says so in the log. A failed write leaves the file as it was and throws TilthError `infra`.
 */
export class EventLog implements EventSink, Disposable {
  readonly #path: string;
  readonly #mask: (text: string) => string;
  readonly #io: FileIo;
  readonly #clock: Pick<Clock, "now">;
  readonly #listeners = new Set<(event: TilthEvent) => void>();
  #fd: number;
  #length: number;
  #nextSeq: number;
  /** set when half a line at the end could not be taken back: nothing may follow it */
  #unwritable: TilthError | null = null;
  /** set when a sync failed: a second sync can succeed although the kernel has already dropped the data */
  #unsynced: TilthError | null = null;

  static open(path: string, mask: (text: string) => string, options: EventLogOptions = {}): EventLog {
    const io = options.io ?? nodeIo;
    try {
      return new EventLog(path, mask, io, options.clock ?? systemClock);
    } catch (error) {
      throw diskTrouble("open", path, error);
    }
  }

  private constructor(path: string, mask: (text: string) => string, io: FileIo, clock: Pick<Clock, "now">) {
    this.#path = path;
    this.#mask = mask;
    this.#io = io;
    this.#clock = clock;
    this.#fd = io.open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      const tail = lastLine(this.#fd);
      this.#length = tail.end;
      this.#nextSeq = tail.value === undefined ? 0 : seqAfter(tail.value, path);
      const torn = fstatSync(this.#fd).size - tail.end;
      if (torn > 0) this.#cut(torn);
      // a killed process's lines may be in the page cache only, and what comes next relies on them
      io.sync(this.#fd);
      syncFolder(dirname(path), io);
      if (torn > 0) this.append("torn_tail", { bytes: torn });
    } catch (error) {
      io.close(this.#fd);
      throw error;
    }
  }

  append<T extends EventType>(type: T, payload: Payload<T>): void {
    const event = this.#envelope(type, payload);
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    this.#write(line);
    this.#nextSeq += 1;
    if (synced.has(type)) this.sync();
    for (const listener of this.#listeners) listener(event);
  }

  /** On return everything appended so far is durable. */
  sync(): void {
    if (this.#unsynced !== null) throw this.#unsynced;
    try {
      this.#io.sync(this.#fd);
    } catch (error) {
      this.#unsynced = diskTrouble("write", this.#path, error);
      throw this.#unsynced;
    }
  }

  /** Passes each event to `listener` after it is written (keys masked); returns the function that ends this. */
  onEvent(listener: (event: TilthEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  [Symbol.dispose](): void {
    if (this.#fd === -1) return;
    closeSync(this.#fd);
    this.#fd = -1;
  }

  #envelope<T extends EventType>(type: T, payload: Payload<T>): TilthEvent {
    const masked = maskDeep(payload, this.#mask);
    const result = eventPayloads[type].safeParse(masked);
    if (!result.success)
      throw new Error(`the event ${type} is not as it must be: ${sayIssue(result.error)}`, { cause: result.error });
    return { v: 1, seq: this.#nextSeq, ts: this.#clock.now().toISOString(), type, payload: masked } as TilthEvent;
  }

  #write(line: Uint8Array): void {
    if (this.#unwritable !== null) throw this.#unwritable;
    try {
      writeWhole(this.#fd, line, this.#io);
      this.#length += line.length;
    } catch (error) {
      const trouble = diskTrouble("write", this.#path, error);
      this.#takeBack(trouble);
      throw trouble;
    }
  }

  /** Removes half a line, which would spoil the next line too. */
  #takeBack(trouble: TilthError): void {
    try {
      this.#io.truncate(this.#fd, this.#length);
    } catch {
      this.#unwritable = trouble;
    }
  }

  #cut(torn: number): void {
    const bytes = Buffer.alloc(torn);
    readSync(this.#fd, bytes, 0, torn, this.#length);
    const kept = this.#io.open(
      this.#path.replace(/\.jsonl$/, ".torn"),
      O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW,
      0o600,
    );
    try {
      writeWhole(kept, bytes, this.#io);
      this.#io.sync(kept);
    } finally {
      this.#io.close(kept);
    }
    this.#io.truncate(this.#fd, this.#length);
  }
}

function seqAfter(value: unknown, path: string): number {
  const result = eventSchema.safeParse(value);
  if (result.success) return result.data.seq + 1;
  throw new TilthError(
    "usage",
    `the last line of ${path} is not a valid event: ${sayIssue(result.error)}`,
    "repair or remove that line by hand, then try again",
  );
}

/** More than any tool's arguments need; a model can nest brackets until a recursive reader runs out of stack. */
const maxDepth = 64;

/** Copies a value with every text in it masked, field names included; parts nested too deep are replaced by a note. */
function maskDeep(value: unknown, mask: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return `(left out: nested deeper than ${maxDepth} levels)`;
  if (Array.isArray(value)) return value.map((one) => maskDeep(one, mask, depth + 1));
  // undefined means absent, as in JSON
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(fields.map(([name, one]) => [mask(name), maskDeep(one, mask, depth + 1)]));
}
