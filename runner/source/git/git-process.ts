import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type AwakeTimer, afterAwake } from "../../base/awake.js";

export type GitInput = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface GitEnd {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly stderr: string;
}

const stderrKept = 8 * 1024;
const graceMs = 2_000;

/** A git process with streams. Await its end with `ended`, which never rejects; disposing it stops it. */
export class GitProcess implements AsyncDisposable {
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: Readable;
  readonly ended: Promise<GitEnd>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #timer: AwakeTimer;
  readonly #signal: AbortSignal;
  #timedOut = false;
  #stderr = "";

  constructor(
    binary: string,
    args: readonly string[],
    options: { env: Record<string, string>; signal: AbortSignal; timeoutMs: number },
  ) {
    // a group of its own: Ctrl-C in a terminal goes to tilth, which decides what it means for git
    this.#child = spawn(binary, args, { cwd: "/", env: options.env, stdio: "pipe", detached: true });
    this.stdin = this.#child.stdin;
    this.stdout = this.#child.stdout;
    // a git that ends early closes its input; its exit status says why
    this.stdin.on("error", () => undefined);
    this.#child.stderr.on("data", (chunk: Buffer) => {
      if (this.#stderr.length < stderrKept) this.#stderr += chunk.toString("utf8");
    });
    this.ended = this.#end();
    this.#timer = afterAwake(options.timeoutMs, () => {
      this.#timedOut = true;
      this.#stop();
    });
    this.#signal = options.signal;
    this.#signal.addEventListener("abort", this.#stop, { once: true });
    if (this.#signal.aborted) this.#stop();
  }

  /** Sends all of `input` and closes; an error of the input itself is thrown after git is gone. */
  async feed(input: GitInput | undefined): Promise<void> {
    if (input === undefined || typeof input === "string" || input instanceof Uint8Array) {
      this.stdin.end(input ?? "");
      return;
    }
    let problem: { error: unknown } | null = null;
    const watched = watch(input, (error) => {
      problem = { error };
    });
    await pipeline(Readable.from(watched, { objectMode: false }), this.stdin).catch(() => undefined);
    if (problem === null) return;
    await this[Symbol.asyncDispose]();
    throw (problem as { error: unknown }).error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    this.stdout.resume();
    await this.ended;
  }

  async #end(): Promise<GitEnd> {
    const [exit, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      this.#child.once("error", (error) => {
        this.#stderr += error.message;
        resolve([null, null]);
      });
      this.#child.once("close", (code, name) => resolve([code, name]));
    });
    this.#timer.clear();
    this.#signal.removeEventListener("abort", this.#stop);
    return { exit, signal, timedOut: this.#timedOut, stderr: this.#stderr };
  }

  /** Sends TERM first, which lets git drop its locks. */
  #stop = (): void => {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGTERM");
    const kill = afterAwake(graceMs, () => this.#child.kill("SIGKILL"));
    void once(this.#child, "close").finally(() => kill.clear());
  };
}

async function* watch(input: AsyncIterable<Uint8Array>, failed: (error: unknown) => void) {
  try {
    for await (const chunk of input) yield chunk;
  } catch (error) {
    failed(error);
    throw error;
  }
}
