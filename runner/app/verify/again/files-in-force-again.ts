import { type Blobs, mayDeclare } from "../../../environment/dependency-files.js";
import { differing } from "../../../environment/files-in-force.js";
import { names } from "../../../environment/named-by.js";
import { absent, type Findings } from "../log/findings.js";
import { lineOfLog } from "../log/recorded-log.js";
import type { TaskEnvironments } from "./environments-again.js";

export interface AcceptedFiles {
  readonly taskText: string;
  /** all files of the accepted tree */
  readonly tree: () => Promise<Blobs>;
  /** the session's TILTH_DEPENDENCIES */
  readonly named: readonly string[] | null;
  readonly findings: Findings;
}

/** Compares the files that a task brought into force with its tree and its text: it may change only files it names. */
export async function holdFilesInForce(
  { before, own, logged }: TaskEnvironments,
  accepted: AcceptedFiles,
): Promise<void> {
  if (logged === null || !before?.files || !own?.files || own === before) return;
  const { files: old } = before;
  const { taskText, tree, named, findings } = accepted;
  const has = await tree();
  for (const path of differing(old, own.files)) {
    const isHeld = (mayDeclare(path, named) || old.has(path)) && !names(taskText, path);
    const seen = own.files.get(path);
    // a file that nothing includes any more is no longer in force
    if (seen === undefined && !mayDeclare(path, named)) continue;
    const expected = isHeld ? old.get(path) : has.get(path);
    if (seen !== expected)
      findings.differ({
        what: `${path} as it is in force`,
        where: lineOfLog(logged, "files"),
        expected: expected ?? absent,
        seen: seen ?? absent,
      });
  }
}
