import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { GitRepo } from "./git-repo.js";
import { canaryKey } from "./scripted-model.js";
import { markersOf } from "./session-world.js";

const everyHook = [
  "pre-commit",
  "commit-msg",
  "post-commit",
  "post-checkout",
  "post-index-change",
  "reference-transaction",
  "pre-auto-gc",
  "post-rewrite",
];

/** A program that leaves its name among the markers. */
function trap(repo: GitRepo, name: string): string {
  const path = join(repo.root, `trap-${name}`);
  writeFileSync(path, `#!/bin/sh\ntouch '${join(markersOf(repo), name)}'\nexit 1\n`, { mode: 0o755 });
  chmodSync(path, 0o755);
  return path;
}

/** Sets the person's own settings, hooks and helpers, all of which would run something in an ordinary git command. */
export function armHost(repo: GitRepo): void {
  const hooks = join(repo.root, "hooks");
  for (const folder of [hooks, join(repo.path, ".git/hooks"), join(repo.path, ".husky")]) {
    mkdirSync(folder, { recursive: true });
    for (const name of everyHook) {
      writeFileSync(join(folder, name), `#!/bin/sh\ntouch '${join(markersOf(repo), name)}'\nexit 1\n`, { mode: 0o755 });
    }
  }
  writeFileSync(
    join(repo.userHome, ".gitconfig"),
    `[user]
\tname = Grace
\temail = grace@example.org
[commit]
\tgpgSign = true
[tag]
\tgpgSign = true
[gpg]
\tprogram = ${trap(repo, "gpg")}
[core]
\teditor = ${trap(repo, "editor")}
\tpager = ${trap(repo, "pager")}
\thooksPath = ${hooks}
\tfsmonitor = ${trap(repo, "fsmonitor-of-the-person")}
\tautocrlf = true
\tsafecrlf = true
[init]
\ttemplateDir = ${hooks}
[filter "lfs"]
\tclean = ${trap(repo, "lfs")}
\tsmudge = ${trap(repo, "lfs")}
\tprocess = ${trap(repo, "lfs")}
\trequired = true
`,
  );
  repo
    .config("core.hooksPath", ".husky")
    .config("core.fsmonitor", trap(repo, "fsmonitor"))
    .config("commit.gpgSign", "true")
    .config("gpg.program", trap(repo, "gpg-of-the-source"))
    .config("core.sshCommand", trap(repo, "ssh"))
    .config("credential.helper", trap(repo, "credential"));
}

/** Variables that steer a git that listens to them. */
export function hostileVariables(repo: GitRepo): Record<string, string> {
  const program = trap(repo, "variable");
  return {
    GIT_DIR: join(repo.root, "nowhere"),
    GIT_WORK_TREE: repo.userHome,
    GIT_INDEX_FILE: join(markersOf(repo), "index"),
    GIT_OBJECT_DIRECTORY: join(markersOf(repo), "objects"),
    GIT_EDITOR: program,
    GIT_EXTERNAL_DIFF: program,
    GIT_SSH_COMMAND: program,
    GIT_ASKPASS: program,
    GIT_TRACE: join(markersOf(repo), "trace"),
    GIT_TRACE2_EVENT: join(markersOf(repo), "trace2"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: program,
    GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${program}'`,
    GIT_AUTHOR_NAME: "Mallory",
    GIT_COMMITTER_DATE: "1970-01-01T00:00:00Z",
    GIT_DEFAULT_HASH: "sha256",
    TILTH_API_KEY: canaryKey,
    NODE_OPTIONS_OF_A_PERSON: "HOSTVARIABLE-31f0",
  };
}

/** Puts a git in front of the real one that writes down where it ran, and with which arguments and variables. */
export function recordGit(repo: GitRepo): { folder: string; log: string } {
  const folder = join(repo.root, "bin");
  const log = join(repo.root, "git-calls.txt");
  mkdirSync(folder);
  const real = repo.hostGit().binary;
  writeFileSync(
    join(folder, "git"),
    `#!/bin/sh\n{ echo "cwd=$(pwd -P)"; echo "args=$*"; /usr/bin/env; } >> '${log}'\nexec '${real}' "$@"\n`,
    { mode: 0o755 },
  );
  return { folder, log };
}

export function inFrontOf(folder: string): string {
  return [folder, process.env.PATH ?? "/usr/bin:/bin"].join(delimiter);
}
