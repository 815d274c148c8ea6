import { afterAwake, awakeMs } from "../../base/awake.js";
import { BodyTooLarge, maxBodyBytes, RequestFailed } from "../faults/endpoint-http.js";
import { NotACompletion } from "../wire/answer.js";
import type { Assembly } from "./assembly.js";
import { type ServerEvent, ServerEvents } from "./server-events.js";

export interface Reading {
  readonly assembly: Assembly;
  /** called a few times a second at most, with the characters so far */
  readonly onProgress: (chars: number) => void;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const toldEveryMs = 250;
/** Some servers hold the connection open after the last event. */
const goodbyeMs = 1_000;

/**
 * Reads a stream and returns its answer as the text that would have come without streaming. A stream that ends before
 * its reply is whole throws NotACompletion; a connection that breaks before throws the library's own error, as for any
 * other answer.
 */
export async function readStream(body: ReadableStream<Uint8Array>, reading: Reading): Promise<string> {
  const reader = body.getReader();
  try {
    await assemble(reader, reading);
    return JSON.stringify(reading.assembly.answer());
  } catch (error) {
    // the stack overflows when an event nests a hundred thousand brackets
    if (error instanceof RangeError) throw new NotACompletion("the answer is nested too deep");
    throw error;
  } finally {
    void letGo(reader, reading.assembly.isDone);
  }
}

async function assemble(reader: Reader, { assembly, onProgress }: Reading): Promise<void> {
  const events = new ServerEvents();
  const decoder = new TextDecoder();
  let toldMs = awakeMs() - toldEveryMs;
  let bytes = 0;
  const more = () => nextUnlessWhole(reader, assembly);
  for (let chunk = await more(); chunk !== null; chunk = await more()) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new RequestFailed(new BodyTooLarge());
    for (const event of events.take(decoder.decode(chunk, { stream: true }))) {
      assembly.take(event);
      if (assembly.isDone) return;
    }
    if (awakeMs() - toldMs < toldEveryMs) continue;
    const { chars } = assembly;
    if (chars === 0) continue;
    toldMs = awakeMs();
    onProgress(chars);
  }
  if (!endsWell(assembly, [...events.take(decoder.decode()), ...events.end()]))
    throw new NotACompletion("the stream ended before the reply did");
}

/** The last event may be half of one. */
function endsWell(assembly: Assembly, last: readonly ServerEvent[]): boolean {
  try {
    for (const event of last) assembly.take(event);
  } catch (error) {
    if (!(error instanceof NotACompletion)) throw error;
  }
  return assembly.isWhole;
}

/** A reply that is whole survives a broken connection; asking again would cost twice. */
async function nextUnlessWhole(reader: Reader, assembly: Assembly): Promise<Uint8Array | null> {
  try {
    return await next(reader);
  } catch (error) {
    if (assembly.isWhole) return null;
    throw error;
  }
}

async function next(reader: Reader): Promise<Uint8Array | null> {
  try {
    const { value } = await reader.read();
    return value ?? null;
  } catch (error) {
    throw new RequestFailed(error);
  }
}

/** A connection that is read to its end can be used again. */
async function letGo(reader: Reader, isDone: boolean): Promise<void> {
  const leave = () => void reader.cancel().catch(() => undefined);
  if (!isDone) return leave();
  const timer = afterAwake(goodbyeMs, leave);
  try {
    while ((await next(reader)) !== null);
  } catch {
    // the reply was whole before
  } finally {
    timer.clear();
  }
}
