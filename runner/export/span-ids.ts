import { createHash } from "node:crypto";

/** Of what the log has no id for. The same log gives the same ids each time, so that a viewer can tell what it has already. */
export function derivedSpanId(traceId: string, of: string): string {
  return sha256(`${traceId} ${of}`).slice(0, 16);
}

/** Of what belongs to no task. */
export function sessionTraceId(sessionId: string): string {
  return sha256(`tilth session ${sessionId}`).slice(0, 32);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
