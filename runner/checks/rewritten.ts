import type { RewrittenFile } from "../hands/checks-port.js";
import type { Objection } from "./tests.js";

const mostShown = 30;

/**
 * What passed has to be what is committed. ruff may write nothing. Tests may write data that the task has nothing to do
 * with, for projects keep such output in their trees; code, and what the task itself changed, has to stay as it was.
 */
export function rewrittenTree(files: readonly RewrittenFile[], testsFailed: boolean): Objection | null {
  const held = files.filter((file) => isHeld(file) && (file.by === "ruff" || !testsFailed));
  if (held.length === 0) return null;
  const said = [
    "These files were not the submitted ones any more when this had run, so what passed is not what would be committed:",
    ...held.slice(0, mostShown).map(lineOf),
    "Let nothing write to files of the project while tests run; pytest's tmp_path is for what tests make. A file that a",
    "tool writes again each time is left as it was (git checkout HEAD -- <file>), or committed as the tool leaves it.",
  ].join("\n");
  return { reason: "tree_changed", said };
}

/** For whoever reviews. */
export function rewrittenNotes(files: readonly RewrittenFile[]): readonly string[] {
  return files
    .filter((file) => !isHeld(file))
    .slice(0, mostShown)
    .map((file) => `while the tests ran, ${lineOf(file)}`);
}

const isCode = /\.(?:py|pyi|pyx|pyd|so|pth)$/;
const ofTests = /(?:^|\/)tests?\//;

export function isHeld({ by, path, touched }: RewrittenFile): boolean {
  return by === "ruff" || touched || (isCode.test(path) && !ofTests.test(path));
}

function lineOf({ by, path, what }: RewrittenFile): string {
  return `${path} was ${what} (${by})`;
}
