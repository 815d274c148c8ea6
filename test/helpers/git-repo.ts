import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { type CommitId, commitId, type HostPath, type SessionId, type TreeId, treeId } from "../../runner/base/ids.js";
import { HostGit } from "../../runner/source/git/host-git.js";
import { preflightSource, type Source } from "../../runner/source/preflight/preflight.js";
import { copiedOnce } from "./copied-once.js";

/**
 * A folder that is thrown away, with a home for git and a repository in it, and the naive git that people have; `root`
 * names a folder that another process made.
 */
export class GitRepo implements Disposable {
  readonly root: HostPath;
  readonly path: HostPath;
  readonly userHome: HostPath;
  readonly tilthHome: HostPath;

  constructor(name = "source", root = realpathSync(mkdtempSync(join(tmpdir(), "tilth-repo-")))) {
    this.root = root as HostPath;
    this.path = join(this.root, name) as HostPath;
    this.userHome = join(this.root, "home") as HostPath;
    this.tilthHome = join(this.root, "tilth") as HostPath;
    if (existsSync(this.path)) return;
    for (const folder of [this.path, this.userHome, this.tilthHome]) mkdirSync(folder);
    copiedOnce("no commit", this.#gitDir, () => {
      this.git("init", "--quiet", "--initial-branch=main");
      const samples = join(this.#gitDir, "hooks");
      for (const name of readdirSync(samples)) rmSync(join(samples, name));
    });
  }

  get #gitDir(): string {
    return join(this.path, ".git");
  }

  /** A repository with one commit. */
  static withCommit(files: Readonly<Record<string, string>> = { "a.txt": "one\n" }, name?: string): GitRepo {
    const repo = new GitRepo(name).files(files);
    copiedOnce(JSON.stringify(files), repo.#gitDir, () => repo.commit("first"));
    return repo;
  }

  git(...args: string[]): string {
    return execFileSync("git", args, {
      cwd: this.path,
      env: this.env(),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Runs a naive git that is expected to do harm, fail or hang. */
  tryGit(...args: string[]): { status: number | null; timedOut: boolean } {
    const run = spawnSync("git", args, { cwd: this.path, env: this.env(), timeout: 2_000, stdio: "ignore" });
    return { status: run.status, timedOut: run.signal !== null };
  }

  pipe(input: string | Uint8Array, ...args: string[]): Buffer {
    return execFileSync("git", args, { cwd: this.path, env: this.env(), input, stdio: ["pipe", "pipe", "pipe"] });
  }

  files(files: Readonly<Record<string, string>>): this {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, path)), { recursive: true });
      writeFileSync(join(this.path, path), content);
    }
    return this;
  }

  commit(message: string): this {
    this.git("add", "-A");
    this.git("-c", "maintenance.auto=false", "commit", "--quiet", "--allow-empty", "-m", message);
    return this;
  }

  config(key: string, value: string): this {
    this.git("config", "--add", key, value);
    return this;
  }

  /** A program that leaves `marker` behind. */
  trap(name = "trap"): { command: string; sprung: () => boolean } {
    const [marker, command] = [join(this.root, `${name}-sprung`), join(this.root, name)];
    writeFileSync(command, `#!/bin/sh\ntouch '${marker}'\ncat 2>/dev/null\nexit 0\n`);
    chmodSync(command, 0o755);
    const sprung = () => readdirSync(this.root).includes(`${name}-sprung`);
    return { command, sprung };
  }

  get head(): CommitId {
    return commitId(this.git("rev-parse", "HEAD").trim());
  }

  treeOf(commit: string): TreeId {
    return treeId(this.git("rev-parse", `${commit}^{tree}`).trim());
  }

  hostGit(): HostGit {
    return HostGit.find(this.places());
  }

  places() {
    return {
      userHome: this.userHome,
      path: process.env.PATH ?? ["/usr/bin", "/bin"].join(delimiter),
      xdgConfigHome: null,
      cacheDir: join(this.userHome, ".cache"),
    };
  }

  preflight(options: { trust?: boolean; path?: string } = {}): Promise<Source> {
    const { trust = false, path = this.path } = options;
    return preflightSource(path, { git: this.hostGit(), home: this.tilthHome, trust, signal: never });
  }

  /** Every file of the git directory and the work tree by a hash of its content. */
  snapshot(): Map<string, string> {
    const found = new Map<string, string>();
    for (const entry of readdirSync(this.path, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const content = entry.isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
      if (!entry.isDirectory()) found.set(path.slice(this.path.length + 1), content);
    }
    return found;
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  env(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? "/usr/bin:/bin",
      HOME: this.userHome,
      LC_ALL: "C",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "Ada",
      GIT_AUTHOR_EMAIL: "ada@example.org",
      GIT_COMMITTER_NAME: "Ada",
      GIT_COMMITTER_EMAIL: "ada@example.org",
    };
  }
}

export const never = new AbortController().signal;
export const sessionId = "20250101-120000-abcdef" as SessionId;

/** Paths that were added, removed or changed. */
export function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}
