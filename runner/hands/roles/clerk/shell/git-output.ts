import type { Change, TreeEntry } from "../../../ports/clerk.js";
import { pathFromBytes, zeroSeparated } from "./path-names.js";

const statusOf: Readonly<Record<string, Change["status"]>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  T: "type_changed",
};

/** Reads `git diff-tree -r --raw -z --no-renames`. */
export function parseRawDiff(output: Buffer): Change[] {
  const fields = [...zeroSeparated(output)];
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [header, path] = [fields[at], fields[at + 1]];
    if (!header || !path) break;
    const [, mode = "", oldOid = "", oid = "", letter = ""] = header.toString("latin1").split(" ");
    const status = statusOf[letter];
    if (!status) throw new TypeError(`diff-tree answered with the status ${JSON.stringify(letter)}`);
    changes.push({ status, path: pathFromBytes(path), mode, oid, oldOid });
  }
  return changes;
}

/** Reads `git diff-tree -r --numstat -z --no-renames`: lines that came or went, null for binaries. */
export function parseLineCounts(output: Buffer): { path: string; lines: number | null }[] {
  return [...zeroSeparated(output)].map((record) => {
    const [added = "", deleted = ""] = record.toString("latin1").split("\t");
    const path = pathFromBytes(record.subarray(added.length + deleted.length + 2));
    return { path, lines: added === "-" ? null : Number(added) + Number(deleted) };
  });
}

/** Reads `git ls-tree -r -l -z`. */
export function parseTreeListing(output: Buffer): TreeEntry[] {
  return [...zeroSeparated(output)].map(parseTreeEntry);
}

export function parseTreeEntry(record: Buffer): TreeEntry {
  const tab = record.indexOf(9);
  const [mode = "", , oid = "", size = ""] = record.toString("latin1", 0, tab).split(/ +/);
  return { path: pathFromBytes(record.subarray(tab + 1)), mode, oid, size: size === "-" ? 0 : Number(size) };
}
