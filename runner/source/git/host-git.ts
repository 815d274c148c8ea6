import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { GitError, simpleGit } from "simple-git";
import { afterAwake } from "../../base/awake.js";
import { Interrupted, TilthError } from "../../base/errors.js";
import type { HostPlaces } from "../../base/host-places.js";
import { remedyFor } from "../../disk/disk-trouble.js";
import { oneLine } from "../../text/sanitise.js";
import { type GitPlace, type GitSetting, gitEnvironment } from "./git-environment.js";
import { type GitEnd, type GitInput, GitProcess } from "./git-process.js";
import { shellWord } from "./shell-word.js";

export interface GitCall extends GitPlace {
  /** completes "git could not …" */
  readonly doing: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** exit codes that count as an answer; only 0 by default */
  readonly accept?: readonly number[];
}

export interface GitAnswer {
  readonly exit: number;
  readonly stdout: Buffer;
}

const defaultTimeoutMs = 60_000;
const maxOutputBytes = 256 * 1024 * 1024;

/**
 * The only way to git on the host. Every call runs the one binary that was found, with an environment built from
 * nothing, outside every work tree, and with a time-out. A failure is a TilthError `infra`; an aborted signal throws
 * Interrupted.
 */
export class HostGit {
  readonly binary: string;
  readonly places: HostPlaces;
  readonly #settings: readonly GitSetting[];

  constructor(binary: string, places: HostPlaces, settings: readonly GitSetting[] = []) {
    this.binary = binary;
    this.places = places;
    this.#settings = settings;
  }

  /** Finds the first git on the person's search path. Relative entries are skipped: they could lie in a repository. */
  static find(places: HostPlaces): HostGit {
    for (const folder of places.path.split(delimiter)) {
      if (!isAbsolute(folder)) continue;
      const candidate = join(folder, "git");
      if (isProgram(candidate)) return new HostGit(candidate, places);
    }
    throw new TilthError("usage", "git is not on the search path", "install git, for example: apt-get install git");
  }

  /** Returns the same git with more settings that override the source's own. */
  with(settings: readonly GitSetting[]): HostGit {
    return new HostGit(this.binary, this.places, [...this.#settings, ...settings]);
  }

  /** Runs a git that prints short text, through simple-git. */
  async text(args: readonly string[], call: GitCall & { readonly input?: string }): Promise<string> {
    const env = this.#environment(call);
    let end: GitEnd = { exit: null, signal: null, timedOut: false, stderr: "" };
    const late = new AbortController();
    const timer = afterAwake(call.timeoutMs ?? defaultTimeoutMs, () => late.abort());
    const client = simpleGit({
      baseDir: "/",
      binary: this.binary,
      // simple-git's own time-out uses a clock that does not stop while this process does
      abort: AbortSignal.any([call.signal, late.signal]),
      allowEnvironment: Object.keys(env),
      unsafe: allowed,
      input: () => call.input,
      // by default simple-git takes a silent failure for a success
      errors: (error, result) => {
        end = { exit: result.exitCode, signal: null, timedOut: false, stderr: Buffer.concat(result.stdErr).toString() };
        return error !== undefined || !accepts(call, result.exitCode) ? new GitError(undefined, "failed") : undefined;
      },
    });
    try {
      return await client.env(env).raw([...args]);
    } catch (error) {
      throw failure(args, call, { ...end, timedOut: late.signal.aborted }, error);
    } finally {
      timer.clear();
    }
  }

  /** For bytes, for answers that are an exit status, and where simple-git's wait after a silent command hurts. */
  async run(args: readonly string[], call: GitCall & { readonly input?: GitInput }): Promise<GitAnswer> {
    await using child = this.open(args, call);
    const [stdout] = await Promise.all([collect(child), child.feed(call.input)]);
    return { exit: await this.finish(child, args, call), stdout };
  }

  /** Yields git's output as it comes. */
  async *stream(args: readonly string[], call: GitCall & { readonly input?: GitInput }): AsyncGenerator<Uint8Array> {
    await using child = this.open(args, call);
    const fed = child.feed(call.input);
    for await (const chunk of child.stdout) yield chunk as Buffer;
    await fed;
    await this.finish(child, args, call);
  }

  /** Opens a git to talk with; the caller must dispose it. */
  open(args: readonly string[], call: GitCall): GitProcess {
    return new GitProcess(this.binary, args, {
      env: this.#environment(call),
      signal: call.signal,
      timeoutMs: call.timeoutMs ?? defaultTimeoutMs,
    });
  }

  /** Waits for the end and returns the exit status if the call accepts it. */
  async finish(child: GitProcess, args: readonly string[], call: GitCall): Promise<number> {
    const end = await child.ended;
    if (end.exit !== null && accepts(call, end.exit) && !end.timedOut) return end.exit;
    throw failure(args, call, end);
  }

  #environment(call: GitCall): Record<string, string> {
    const settings = [...this.#settings, ...(call.settings ?? [])];
    const searchPath = [dirname(this.binary), "/usr/bin", "/bin"].join(delimiter);
    return gitEnvironment(this.places.userHome, searchPath, { ...call, settings });
  }
}

/** Lets simple-git accept parts of our environment that it calls unsafe; each of them switches something off. */
const allowed = {
  allowUnsafeCustomBinary: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeConfigEnvCount: true,
  allowUnsafeHooksPath: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeFilter: true,
  allowUnsafeDiffExternal: true,
  allowUnsafeDiffTextConv: true,
  allowUnsafeProtocolOverride: true,
};

/** Git refused, died or did not answer; the message holds its output for the diagnostics. */
class GitFailed extends Error {
  readonly args: readonly string[];
  readonly end: GitEnd;

  constructor(args: readonly string[], end: GitEnd, cause?: unknown) {
    super(`git ${args.join(" ")}: ${end.stderr || `ended with ${end.exit ?? end.signal}`}`, { cause });
    this.name = "GitFailed";
    this.args = args;
    this.end = end;
  }
}

function failure(args: readonly string[], call: GitCall, end: GitEnd, cause?: unknown): Error {
  if (call.signal.aborted) return new Interrupted();
  const where = call.gitDir ?? "/";
  const said = oneLine(end.stderr, 300);
  const why = end.timedOut
    ? "it did not answer in time"
    : said || `it ended with ${end.exit ?? end.signal ?? "no status"}`;
  const look = `see what is wrong with it, then try again: git --git-dir=${shellWord(where)} fsck --connectivity-only`;
  const hint = remedyFor(end.stderr) ?? look;
  return new TilthError("infra", `git could not ${call.doing}: ${why}`, hint, new GitFailed(args, end, cause));
}

function accepts(call: GitCall, exit: number): boolean {
  return (call.accept ?? [0]).includes(exit);
}

async function collect(child: GitProcess): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of child.stdout) {
    size += (chunk as Buffer).length;
    if (size > maxOutputBytes) throw new RangeError(`git printed more than ${maxOutputBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
