import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { HostPath, SessionId } from "../support/ids.js";
import { readRegular } from "../support/read-regular.js";
import { branchRef } from "./branch-ref.js";
import { lstatOf, type Places } from "./repository.js";

/** Where git notes which branch a work tree is on, or comes back to after a rebase or a bisect. */
const notes = ["HEAD", "rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"];

/**
 * Work trees of the source, the session's `own` aside, that stand on its branch. By the source's own records: git would look
 * into each work tree, and of several on one branch it names one.
 */
export function worktreesOn(source: Places, id: SessionId, own: HostPath): string[] {
  const main = basename(source.commonDir) === ".git" ? dirname(source.commonDir) : source.commonDir;
  const linked = recordsIn(join(source.commonDir, "worktrees")).map(
    (record) => [record, withoutGit(textOf(join(record, "gitdir")))] as const,
  );
  return [[source.commonDir, main] as const, ...linked]
    .filter(([record, path]) => path !== "" && path !== own && standsOn(record, id))
    .map(([, path]) => path);
}

function standsOn(record: string, id: SessionId): boolean {
  const ref = branchRef(id);
  const said = [`ref: ${ref}`, ref, `session/${id}`];
  return notes.some((note) => said.includes(textOf(join(record, note))));
}

function recordsIn(folder: string): string[] {
  if (!lstatOf(folder)?.isDirectory()) return [];
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((record) => lstatOf(record)?.isDirectory());
}

function textOf(path: string): string {
  const file = readRegular(path, 64 * 1024);
  return file.ok ? file.content.toString("utf8").replace(/\n$/, "") : "";
}

function withoutGit(path: string): string {
  return path.replace(/\/\.git$/, "");
}
