import type { CheckReport, RewrittenFile } from "../hands/ports/checks/checks.js";
import type { Objection } from "./tests.js";

const mostShown = 30;

/**
 * The tree that passed must be the one that is committed. ruff may write nothing. Tests may write data that the task
 * has nothing to do with, because projects keep such output in their trees; code, and files that the task itself
 * changed, must stay as they were.
 */
export function rewrittenTree(files: readonly RewrittenFile[]): Objection | null {
  const held = files.filter(isHeld);
  if (held.length === 0) return null;
  const said = [
    "These files were not the submitted ones any more when this had run, so what passed is not what would be committed:",
    ...held.slice(0, mostShown).map(lineOf),
    "Let nothing write to files of the project while tests run; pytest's tmp_path is for what tests make. What they write",
    "all the same, a log or a database, is put back (git checkout HEAD -- <file>) or removed before you present your case;",
    "what they make from something else has to be in the tree as they leave it.",
  ].join("\n");
  return { reason: "tree_changed", said };
}

/** Notes for the reviewer; leaves out files that the notes on the ground of the tests name already. */
export function rewrittenNotes({ rewritten, pytest }: Pick<CheckReport, "rewritten" | "pytest">): readonly string[] {
  const said = new Set(pytest?.ground.map(({ what }) => what));
  return rewritten
    .filter((file) => !isHeld(file) && !said.has(file.path))
    .slice(0, mostShown)
    .map((file) => `while the tests ran, ${lineOf(file)}`);
}

const isCode = /\.(?:py|pyi|pyx|pyd|so|pth)$/;
/** data and helpers of tests, but no test modules */
const ofTests = /(?:^|\/)tests?\/(?!(?:.*\/)?(?:test_[^/]*|[^/]*_test|conftest)\.py$)/;

export function isHeld({ by, path, touched }: RewrittenFile): boolean {
  return by === "ruff" || touched || (isCode.test(path) && !ofTests.test(path));
}

function lineOf({ by, path, what }: RewrittenFile): string {
  return `${path} was ${what} (${by})`;
}
