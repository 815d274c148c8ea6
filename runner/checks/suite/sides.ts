import { posix } from "node:path";
import { names as namesInText } from "../../environment/named-by.js";
import type { Change } from "../../hands/ports/clerk.js";
import type { Baseline } from "./baseline.js";

const folderNames: ReadonlySet<string> = new Set(["test", "tests", "testing"]);

/** The tests' part of a change, and which of it a task was not free to bring. */
export interface Sides {
  /** every changed path on the side of the tests */
  readonly all: readonly string[];
  /** those of `all` that are put back to run the tests from before the change */
  readonly unasked: readonly string[];
  /** changed or deleted files with tests that are held */
  readonly held: readonly Change[];
}

/**
 * Picks test files, and files beside them in a folder named test or tests. A conftest judges and is held elsewhere;
 * support files that the task names count as the task makes them.
 */
export function sidesOf(
  changes: readonly Change[],
  of: { readonly baseline: Baseline; readonly staged: readonly string[]; readonly taskText: string },
): Sides {
  const { baseline, taskText } = of;
  const staged = new Set(of.staged);
  const files = testFiles(baseline);
  const folders = new Set([...files].flatMap(foldersAround).filter((path) => folderNames.has(posix.basename(path))));
  const isOfTests = (path: string) => files.has(path) || foldersAround(path).some((folder) => folders.has(folder));
  const side = changes.filter(({ path }) => !staged.has(path) && (isOfTests(path) || isConftest(path)));
  const asked = ({ path }: Change) => isConftest(path) || (!files.has(path) && namesInText(taskText, path));
  return {
    all: side.map(({ path }) => path),
    unasked: side.filter((change) => !asked(change)).map(({ path }) => path),
    held: side.filter(({ path, status }) => files.has(path) && status !== "added"),
  };
}

function testFiles({ held, notRun, inCode }: Baseline): ReadonlySet<string> {
  return new Set([...held.keys(), ...notRun].filter((path) => !inCode.has(path)));
}

function isConftest(path: string): boolean {
  return posix.basename(path) === "conftest.py";
}

function foldersAround(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}
