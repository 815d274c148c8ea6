import { createHash } from "node:crypto";

/**
 * Derives an id that the log does not have. The same log gives the same ids each time, so that a viewer recognises
 * spans it already has.
 */
export function derivedSpanId(traceId: string, of: string): string {
  return sha256(`${traceId} ${of}`).slice(0, 16);
}

/** Derives the trace id for everything that belongs to no task. */
export function sessionTraceId(sessionId: string): string {
  return sha256(`tilth session ${sessionId}`).slice(0, 32);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
