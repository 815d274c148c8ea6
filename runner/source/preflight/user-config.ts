import { existsSync } from "node:fs";
import { join } from "node:path";
import { TilthError } from "../../base/errors.js";
import { ownIdentity } from "../../base/own-identity.js";
import type { Person } from "../../hands/ports/clerk.js";
import { oneLine } from "../../text/sanitise.js";
import type { HostGit } from "../git/host-git.js";
import type { Places } from "../git/repository.js";
import { shellWord } from "../git/shell-word.js";

export interface Author extends Person {
  /** for people: the file or files that hold the name and address */
  readonly from: string;
}

interface ConfigValue {
  readonly value: string;
  readonly file: string;
}

/**
 * Finds the author that git would give a commit in the source, without looking at the environment. The files are read
 * one by one as text, lowest rank first; git follows their includes and decides which `includeIf` holds.
 */
export async function findAuthor(
  git: HostGit,
  source: Places & { readonly worktreeConfig: boolean },
  signal: AbortSignal,
): Promise<Author> {
  const system = await systemFile(git, signal);
  const files = [...personFiles(git, system), ...sourceFiles(source)].filter((file) => existsSync(file));
  const lists = await Promise.all(files.map((file) => identityIn(git, source, file, signal)));
  const found = new Map(lists.flat());
  const name = usable(found.get("author.name")) ?? usable(found.get("user.name"));
  const email = usable(found.get("author.email")) ?? usable(found.get("user.email"));
  const from = [...new Set([name, email].map((part) => part?.file ?? "tilth's own default"))].join(", ");
  return { name: name?.value ?? ownIdentity.name, email: email?.value ?? ownIdentity.email, from };
}

/** Lists the folders that the person told git to trust although somebody else owns them. */
export async function safeDirectories(git: HostGit, signal: AbortSignal): Promise<string[]> {
  const files = personFiles(git, await systemFile(git, signal)).filter((file) => existsSync(file));
  const answers = files.map((file) =>
    git.run(["config", "--file", file, "--includes", "-z", "--get-all", "safe.directory"], {
      gitDir: null,
      doing: `read '${file}'`,
      signal,
      timeoutMs: 10_000,
      accept: [0, 1],
    }),
  );
  const values = (await Promise.all(answers)).flatMap(({ stdout }) => stdout.toString("utf8").split("\0").slice(0, -1));
  // an empty value cancels all values before it
  return values.slice(values.lastIndexOf("") + 1);
}

async function identityIn(
  git: HostGit,
  places: Places,
  file: string,
  signal: AbortSignal,
): Promise<[string, ConfigValue][]> {
  const wanted = "^(user|author)\\.(name|email)$";
  const answer = await git.run(
    ["config", "--file", file, "--includes", "--show-origin", "-z", "--get-regexp", wanted],
    {
      gitDir: places.gitDir,
      doing: `read '${file}'`,
      signal,
      timeoutMs: 10_000,
      accept: [0, 1, 3, 128],
    },
  );
  if (answer.exit > 1)
    throw new TilthError(
      "usage",
      `the git config file '${file}' cannot be read`,
      `git config --file ${shellWord(file)} --list`,
    );
  const fields = answer.stdout.toString("utf8").split("\0");
  const found: [string, ConfigValue][] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key = "", ...value] = (fields[at + 1] ?? "").split("\n");
    found.push([key, { value: value.join("\n"), file: (fields[at] ?? "").replace(/^file:/, "") }]);
  }
  return found;
}

function personFiles(git: HostGit, system: string | null): string[] {
  const { userHome, xdgConfigHome } = git.places;
  const own = [join(xdgConfigHome ?? join(userHome, ".config"), "git/config"), join(userHome, ".gitconfig")];
  return system === null ? own : [system, ...own];
}

function sourceFiles(source: Places & { readonly worktreeConfig: boolean }): string[] {
  const shared = join(source.commonDir, "config");
  return source.worktreeConfig ? [shared, join(source.gitDir, "config.worktree")] : [shared];
}

/** Only git knows where its build put the system config; null when that file holds nothing. */
async function systemFile(git: HostGit, signal: AbortSignal): Promise<string | null> {
  const answer = await git.run(
    ["config", "--system", "--no-includes", "--show-origin", "--name-only", "-z", "--list"],
    {
      gitDir: null,
      doing: "find the system's git config",
      signal,
      timeoutMs: 10_000,
      accept: [0, 1, 3, 128],
    },
  );
  const [origin = ""] = answer.stdout.toString("utf8").split("\0");
  return origin.startsWith("file:") ? origin.slice("file:".length) : null;
}

/** Cleans a name as git does: no line breaks or angle brackets, no punctuation around it; null when nothing is left. */
function usable(found: ConfigValue | undefined): ConfigValue | null {
  if (found === undefined) return null;
  const value = oneLine(found.value.replace(/[<>]/g, ""), 200).replace(/^[\s.,:;"\\']+|[\s.,:;"\\']+$/g, "");
  return value === "" ? null : { value, file: found.file };
}
