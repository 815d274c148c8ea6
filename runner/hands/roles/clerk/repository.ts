import type { CommitId, TreeId } from "../../../base/ids.js";
import { ignoredNames } from "../ignored-names.js";
import type { ClerkShell } from "./shell/clerk-shell.js";
import { checked } from "./shell/strictness.js";

/** Git reads these attributes first, so none in the tree count, and blobs are the bytes of the files. */
const attributes = "* -text !eol -ident -filter !working-tree-encoding !diff";

/** Removes what a killed git left: only one clerk at a time uses the repository. */
const prepareScript = `
  cd /repo
  find . -name '*.lock' -delete
  rm -rf incoming ${checked}
  find . -name 'tmp_*' -prune -exec rm -rf {} +
  env -u GIT_DIR -u GIT_WORK_TREE git init --quiet --bare --template= /repo
  mkdir -p info ${checked}
  printf '%s\\n' '${attributes}' > info/attributes
  printf '%s\\n' ${ignoredNames.map((name) => `'${name}'`).join(" ")} > info/exclude`;

export async function prepareRepository(shell: ClerkShell, signal: AbortSignal): Promise<void> {
  await shell.script("preparing the repository", prepareScript, { signal });
}

export async function holdsWhole(shell: ClerkShell, object: CommitId | TreeId, signal: AbortSignal): Promise<boolean> {
  const { exit } = await shell.attemptGit(["rev-list", "--objects", "--quiet", object, "--"], { signal });
  return exit === 0;
}
