import { treeCaps } from "../git/tree-caps.js";

/** Code points that HFS+ ignores when it compares names. */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Says why a name must not be in a tree, or returns null. */
export function nameProblem(name: Buffer): string | null {
  if (name.length === 0) return "its name is empty";
  if (name.length > treeCaps.nameBytes) return `its name is longer than ${treeCaps.nameBytes} bytes`;
  if (name.includes(47) || name.includes(0)) return "its name holds a separator";
  const text = name.toString("utf8");
  if (text === "." || text === "..") return `its name is '${text}'`;
  return isDotGitLike(text) ? "git, here or on another system, would take it for its own '.git'" : null;
}

/** Matches `.git` itself and every name that macOS or Windows opens as `.git`. */
export function isDotGitLike(name: string): boolean {
  if (name.replace(ignoredByHfs, "").toLowerCase() === ".git") return true;
  // Windows takes a backslash for a separator, and drops dots and spaces at the end and a stream's name after a colon
  return name.split("\\").some((part) => /^(\.git|git~1)[ .]*(:.*)?$/is.test(part));
}
