import type { Change, TreeEntry } from "./hands.js";
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

/** Reads `git ls-tree -r -l -z`. */
export function parseTreeListing(output: Buffer): TreeEntry[] {
  return [...zeroSeparated(output)].map(parseTreeEntry);
}

export function parseTreeEntry(record: Buffer): TreeEntry {
  const tab = record.indexOf(9);
  const [mode = "", , oid = "", size = ""] = record.toString("latin1", 0, tab).split(/ +/);
  return { path: pathFromBytes(record.subarray(tab + 1)), mode, oid, size: size === "-" ? 0 : Number(size) };
}
