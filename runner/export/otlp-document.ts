import { TilthError } from "../base/errors.js";
import { readEvents } from "../session/log/event-reader.js";
import type { SessionFiles } from "../session/session-files.js";
import type { SpanRecord } from "./open-span.js";
import { envelopeOf, spanJson } from "./otlp-json.js";
import { SessionSpans } from "./session-spans.js";

const pieceLength = 64 * 1024;
/** below the 20 MB that collectors accept by default */
const requestBytes = 16 * 1024 * 1024;

/**
 * Writes a session as ExportTraceServiceRequests in OTLP/JSON, one per line; only a very long session takes more than
 * one. The text comes in pieces, and no span is cut in two. TilthError `usage` before the first piece if the session
 * has no events.
 */
export async function* otlpDocument(files: SessionFiles, mostBytes = requestBytes): AsyncGenerator<string> {
  const { head, tail } = envelopeOf(files.id);
  const around = Buffer.byteLength(head) + Buffer.byteLength(tail);
  let piece = head;
  let bytes = around;
  for await (const span of spansOf(files)) {
    const json = spanJson(span);
    const more = Buffer.byteLength(json) + 1;
    if (bytes > around && bytes + more > mostBytes) {
      piece += `${tail}\n${head}`;
      bytes = around;
    }
    piece += bytes > around ? `,${json}` : json;
    bytes += more;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  if (bytes === around)
    throw new TilthError("usage", `session ${files.id} has no events yet`, "list the sessions: tilth sessions");
  yield `${piece}${tail}\n`;
}

async function* spansOf(files: SessionFiles): AsyncGenerator<SpanRecord> {
  const spans = new SessionSpans({ id: files.id, titles: titlesOf(files) });
  for await (const event of readEvents(files.paths.events)) yield* spans.add(event);
  yield* spans.end();
}

/** Titles are a convenience: everything else is in the log. */
function titlesOf(files: SessionFiles): ReadonlyMap<string, string> {
  try {
    return new Map(files.loadPrd().map(({ id, title }) => [id, title]));
  } catch (error) {
    if (error instanceof TilthError) return new Map();
    throw error;
  }
}
