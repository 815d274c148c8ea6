import { Interrupted, TilthError } from "../../../../base/errors.js";
import { GrowingBytes } from "../../../../base/growing-bytes.js";
import { ResidentRefusal } from "../../../pipe/channel-errors.js";
import { perform } from "../../../pipe/perform.js";
import { operations } from "../../../pipe/wire/operations.js";
import { containerPaths } from "../../../ports/container-paths.js";
import { HandsLost } from "../../../ports/hands.js";
import type { Sandbox } from "../../../ports/sandbox.js";

export interface Run {
  readonly signal: AbortSignal;
  readonly stdin?: Uint8Array | AsyncIterable<Uint8Array>;
  /** takes standard output as it comes; by default it is collected */
  readonly onData?: (chunk: Uint8Array) => void | Promise<void>;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

export interface CommandEnd {
  readonly exit: number | null;
  readonly timedOut: boolean;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const patienceMs = 30 * 60_000;
/** enough for half a million paths with git's output on each */
const collectedBytes = 256 * 1024 * 1024;

/** No configuration of the image, the user or the tree reaches this git. */
const gitEnv = {
  PATH: "/usr/bin:/bin",
  HOME: "/nonexistent",
  LC_ALL: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_DIR: containerPaths.repo,
  GIT_WORK_TREE: containerPaths.workspace,
};

const gitSettings = [
  "core.bare=false",
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.excludesFile=/dev/null",
  "core.attributesFile=/dev/null",
  // objects and refs only; the index is just a cache
  "core.fsync=committed,reference",
  "core.fsyncMethod=batch",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "core.ignoreCase=false",
  "core.precomposeUnicode=false",
  "core.quotePath=false",
  "core.fileMode=true",
  "core.symlinks=true",
  "core.autocrlf=false",
  "core.untrackedCache=false",
  "gc.auto=0",
].flatMap((setting) => ["-c", setting]);

const scriptGit = `git() { /usr/bin/git ${gitSettings.join(" ")} "$@"; }\n`;

/** Runs one program after the other in the clerk's container, which it starts when first needed and after a loss. */
export class ClerkShell implements AsyncDisposable {
  private container: Sandbox | null = null;
  private readonly turnstile = new Turnstile();

  /** `lostAsleep` is called for a container that ended in a sleep, when another takes its place */
  constructor(
    private readonly startContainer: (signal: AbortSignal) => Promise<Sandbox>,
    private readonly lostAsleep: (loss: HandsLost) => void = () => undefined,
  ) {}

  /** Returns git's standard output; TilthError `infra` when git fails. */
  async git(args: readonly string[], run: Run): Promise<Buffer> {
    const ended = await this.attemptGit(args, run);
    if (ended.exit === 0) return ended.stdout;
    throw failed(`git ${args[0]}`, ended);
  }

  /** Like `git`, for callers to whom a failure means something. */
  async attemptGit(args: readonly string[], run: Run): Promise<CommandEnd> {
    return this.attempt(["/usr/bin/git", ...gitSettings, ...args], run);
  }

  /** Runs a fixed script of ours; TilthError `infra` when it fails. */
  async script(name: string, text: string, run: Run, args: readonly string[] = []): Promise<Buffer> {
    const ended = await this.attemptScript(text, run, args);
    if (ended.exit === 0) return ended.stdout;
    throw failed(name, ended);
  }

  /** `args` are the script's own, $1 and on. */
  async attemptScript(text: string, run: Run, args: readonly string[] = []): Promise<CommandEnd> {
    return this.attempt(["/bin/bash", "-euo", "pipefail", "-c", `${scriptGit}${text}`, "script", ...args], run);
  }

  async attempt(argv: readonly string[], run: Run): Promise<CommandEnd> {
    return this.turnstile.pass(() => this.inContainer(argv, run));
  }

  async ensureStarted(signal: AbortSignal): Promise<void> {
    await this.turnstile.pass(() => this.running(signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.container?.[Symbol.asyncDispose]();
  }

  private async inContainer(argv: readonly string[], run: Run): Promise<CommandEnd> {
    return this.exec(await this.running(run.signal), argv, run);
  }

  private async exec(container: Sandbox, argv: readonly string[], run: Run): Promise<CommandEnd> {
    const collected = new GrowingBytes();
    const args = {
      argv,
      cwd: containerPaths.workspace,
      env: { ...gitEnv, ...run.env },
      timeout_ms: run.timeoutMs ?? patienceMs,
      output: "stream" as const,
      stdin: run.stdin !== undefined,
      disk_bytes: 0,
    };
    try {
      const { exit, timed_out, stderr } = await perform(container, operations.stream, args, {
        signal: run.signal,
        timeoutMs: patienceMs + 60_000,
        onData: run.onData ?? ((chunk) => collected.add(chunk)),
        mostBytes: run.onData ? Number.POSITIVE_INFINITY : collectedBytes,
        ...(run.stdin === undefined ? {} : { input: run.stdin }),
      });
      return { exit, timedOut: timed_out, stderr, stdout: collected.take() };
    } catch (error) {
      if (!(error instanceof ResidentRefusal)) throw error;
      throw new TilthError("infra", `the clerk could not run ${argv[0]}: ${error.message}`, resumeHint, error);
    }
  }

  private async running(signal: AbortSignal): Promise<Sandbox> {
    if (signal.aborted) throw new Interrupted();
    const before = this.container;
    if (before && !before.isLost) return before;
    if (before?.endedAsleep) this.lostAsleep(new HandsLost("clerk", "it went away", { asleep: true }));
    await before?.[Symbol.asyncDispose]();
    this.container = await this.startContainer(signal);
    // a git that died with its container could not drop its locks
    if (before) await this.exec(this.container, ["/usr/bin/find", "/repo", "-name", "*.lock", "-delete"], { signal });
    return this.container;
  }
}

const resumeHint = "free disk space if it is full, then tilth resume";

export function failed(what: string, { exit, stderr }: CommandEnd): TilthError {
  const said = stderr.trim().split("\n").slice(-2).join(" ");
  return new TilthError("infra", `${what} in the clerk ended with ${exit ?? "a signal"}: ${said}`, resumeHint);
}

/** Runs one piece of work at a time, in the order they came. */
class Turnstile {
  private last: Promise<unknown> = Promise.resolve();

  pass<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.last.then(work, work);
    this.last = mine.catch(() => undefined);
    return mine;
  }
}
