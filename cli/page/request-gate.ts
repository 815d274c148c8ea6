import { createHash, timingSafeEqual } from "node:crypto";
import { asSessionId, type SessionId } from "../../runner/base/ids.js";

export interface IncomingRequest {
  readonly method: string;
  /** exactly as in the request line */
  readonly target: string;
  /** name, value, name, value, in the order they came */
  readonly rawHeaders: readonly string[];
}

export interface Address {
  readonly port: number;
  readonly token: string;
}

export type RequestedPage =
  | { readonly kind: "sessions" }
  | { readonly kind: "sessions-stream" }
  | { readonly kind: "session"; readonly id: SessionId }
  | { readonly kind: "session-stream"; readonly id: SessionId; readonly from: number }
  | { readonly kind: "refused"; readonly status: 403 | 404 | 405 };

/** Matches only these four addresses in exactly this spelling: nothing is decoded or resolved. */
const place = /^\/([\w-]{1,64})\/(?:(events)|s\/([\w-]{1,40})\/(events)?)?$/;

/** Decides what a request may have. Only this machine's own names are allowed, and only with the token. */
export function wantedOf(asked: IncomingRequest, { port, token }: Address): RequestedPage {
  if (!isOwnHost(headersNamed(asked, "host"), port)) return refused(403);
  if (asked.method !== "GET") return refused(405);
  if (!sameToken(/^\/([^/?#]*)/.exec(asked.target)?.[1] ?? "", token)) return refused(403);
  const [found, , stream, session, sessionStream] = place.exec(asked.target) ?? [];
  if (found === undefined) return refused(404);
  if (session === undefined) return { kind: stream === undefined ? "sessions" : "sessions-stream" };
  const id = asSessionId(session);
  if (id === null) return refused(404);
  return sessionStream === undefined ? { kind: "session", id } : { kind: "session-stream", id, from: seenUpTo(asked) };
}

function refused(status: 403 | 404 | 405): RequestedPage {
  return { kind: "refused", status };
}

/** Refuses names that somebody else has pointed at this machine. */
function isOwnHost(hosts: readonly string[], port: number): boolean {
  return hosts.length === 1 && (hosts[0] === `127.0.0.1:${port}` || hosts[0] === `localhost:${port}`);
}

function sameToken(given: string, token: string): boolean {
  const [one, other] = [given, token].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

/** Returns the position where a browser that lost its connection wants to continue. */
function seenUpTo(asked: IncomingRequest): number {
  const [last] = headersNamed(asked, "last-event-id");
  return last !== undefined && /^\d{1,15}$/.test(last) ? Number(last) : 0;
}

function headersNamed({ rawHeaders }: IncomingRequest, name: string): readonly string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}
