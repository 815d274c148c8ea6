import { ownIdentity } from "../../base/own-identity.js";

/** A setting that overrides the source's own config. */
export type GitSetting = readonly [key: string, value: string];

const always: readonly GitSetting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.untrackedCache", "false"],
  ["core.splitIndex", "false"],
  ["core.attributesFile", "/dev/null"],
  ["core.excludesFile", "/dev/null"],
  // nobody checks a commit graph's claims about the parents of a commit
  ["core.commitGraph", "false"],
  ["core.fsync", "all"],
  ["core.fsyncMethod", "fsync"],
  // git itself waits this long for another git's lock
  ["core.filesRefLockTimeout", "10000"],
  ["core.packedRefsTimeout", "10000"],
  ["index.sparse", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["submodule.recurse", "false"],
  ["status.submoduleSummary", "false"],
  ["protocol.allow", "never"],
  // newer gits would write this one into the source's config
  ["worktree.useRelativePaths", "false"],
];

export interface GitPlace {
  /** the repository to work on; null for commands that need none */
  readonly gitDir: string | null;
  readonly workTree?: string;
  readonly indexFile?: string;
  /** objects are written to and read from `objects`, and also read from `alternate` */
  readonly quarantine?: { readonly objects: string; readonly alternate: string | null };
  readonly settings?: readonly GitSetting[];
}

/**
 * Builds the whole environment of a host git. HOME is the person's own, because `~/` in an include of the source's
 * config must mean the file that was checked before; git reads nothing else from it.
 */
export function gitEnvironment(userHome: string, searchPath: string, place: GitPlace): Record<string, string> {
  return {
    PATH: searchPath,
    HOME: userHome,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_GRAFT_FILE: "/dev/null/none",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_COMMITTER_NAME: ownIdentity.name,
    GIT_COMMITTER_EMAIL: ownIdentity.email,
    // without a git dir, git looks for a repository around its working directory
    GIT_DIR: place.gitDir ?? "/dev/null",
    ...(place.workTree === undefined ? {} : { GIT_WORK_TREE: place.workTree }),
    ...(place.indexFile === undefined ? {} : { GIT_INDEX_FILE: place.indexFile }),
    ...(place.quarantine === undefined ? {} : quarantined(place.quarantine)),
    ...asVariables([...always, ...(place.settings ?? [])]),
  };
}

function quarantined(quarantine: { objects: string; alternate: string | null }): Record<string, string> {
  if (quarantine.alternate === null) return { GIT_OBJECT_DIRECTORY: quarantine.objects };
  return {
    GIT_OBJECT_DIRECTORY: quarantine.objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedForGit(quarantine.alternate),
  };
}

/** Quotes a path as in C, because a bare path would be cut at a colon. */
function quotedForGit(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n")}"`;
}

/** Passes settings as variables, not as `-c`, so that a key with `=` in it survives. */
function asVariables(settings: readonly GitSetting[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [index, [key, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}
