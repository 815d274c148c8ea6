import { isAbsolute } from "node:path";

declare const brand: unique symbol;
type Branded<T, B extends string> = T & { readonly [brand]: B };

/** 40 hex digits naming a git tree. */
export type TreeId = Branded<string, "TreeId">;
/** 40 hex digits naming a git commit. */
export type CommitId = Branded<string, "CommitId">;
/** `YYYYMMDD-HHMMSS-xxxxxx`; the only form that may become part of a path or a ref. */
export type SessionId = Branded<string, "SessionId">;
/** An absolute path on the host. */
export type HostPath = Branded<string, "HostPath">;

const oid = /^[0-9a-f]{40}$/;
const session = /^\d{8}-\d{6}-[0-9a-f]{6}$/;

export function treeId(text: string): TreeId {
  if (!oid.test(text)) throw new TypeError(`not a tree id: ${JSON.stringify(text)}`);
  return text as TreeId;
}

export function commitId(text: string): CommitId {
  if (!oid.test(text)) throw new TypeError(`not a commit id: ${JSON.stringify(text)}`);
  return text as CommitId;
}

export function asSessionId(text: string): SessionId | null {
  return session.test(text) ? (text as SessionId) : null;
}

export function hostPath(text: string): HostPath {
  if (!isAbsolute(text)) throw new TypeError(`not an absolute path: ${JSON.stringify(text)}`);
  return text as HostPath;
}

/** Node puts this character into a name in another encoding, and the path then leads somewhere else, or nowhere. */
export function isUtf8(path: string): boolean {
  return !path.includes("\ufffd");
}
