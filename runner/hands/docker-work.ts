import type { CommitId } from "../support/ids.js";
import { RunnerRefusal } from "./channel.js";
import type { Container } from "./container.js";
import { containerPaths } from "./container-paths.js";
import {
  type Answer,
  type CommandResult,
  type Edited,
  HandsLost,
  type LintRequest,
  type Receipt,
  type Work,
} from "./hands.js";
import { skippedFolders } from "./ignored-names.js";
import { editedReply, execReply, globReply, grepReply, readReply } from "./runner-replies.js";

/** Kept of each end of a command's output. */
const keptBytes = 16_384;
const fileWorkMs = 60_000;
/** what the runner may take over a time-out of its own, to kill and to count */
const graceMs = 30_000;
/** what a shell answers for a command it could not start */
const notStarted = 126;

/** Starts a work container and proves its isolation; what it gives is held by the caller. */
export type StartWork = (signal: AbortSignal) => Promise<{ container: Container; receipt: Receipt }>;

/** The worker's tools, each one call to the runner of the work container. */
export class DockerWork implements Work, AsyncDisposable {
  private container: Container | null = null;
  private receipt: Receipt | null = null;

  constructor(
    private readonly startContainer: StartWork,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  get isLost(): boolean {
    return this.container?.isLost ?? false;
  }

  async start(signal: AbortSignal): Promise<Receipt> {
    if (this.container && !this.container.isLost && this.receipt) return this.receipt;
    await this.container?.[Symbol.asyncDispose]();
    ({ container: this.container, receipt: this.receipt } = await this.startContainer(signal));
    return this.receipt;
  }

  async beginTask(commit: CommitId, signal: AbortSignal): Promise<void> {
    await this.ready().call("reset", { commit }, { signal, timeoutMs: fileWorkMs });
  }

  async bash(command: string, timeoutMs: number, signal: AbortSignal): Promise<CommandResult> {
    const args = {
      argv: ["/bin/bash", "-c", command],
      cwd: containerPaths.workspace,
      env: this.env,
      timeout_ms: timeoutMs,
      output: "merged",
      head: keptBytes,
      tail: keptBytes,
      stdin: false,
    };
    const said = await this.ask("exec", args, { signal, timeoutMs: timeoutMs + graceMs });
    if (!said.ok) return couldNotStart(said.problem);
    const { head, tail, timed_out, ...rest } = execReply.parse(said.result);
    return {
      ...rest,
      timedOut: timed_out,
      head: said.data.subarray(0, head),
      tail: said.data.subarray(head, head + tail),
    };
  }

  async readFile(request: Parameters<Work["readFile"]>[0], signal: AbortSignal): ReturnType<Work["readFile"]> {
    const { maxBytes, ...where } = request;
    const said = await this.ask("read", { ...where, max_bytes: maxBytes }, { signal, timeoutMs: fileWorkMs });
    if (!said.ok) return said;
    const { size, first_line, last_line, truncated } = readReply.parse(said.result);
    return { ok: true, content: said.data, size, firstLine: first_line, lastLine: last_line, truncated };
  }

  async writeFile(request: Parameters<Work["writeFile"]>[0], signal: AbortSignal): Promise<Answer<Edited>> {
    const args = { path: request.path, ...linting(request.lint) };
    const timeoutMs = fileWorkMs + (request.lint?.timeoutMs ?? 0);
    return editedAnswer(await this.ask("write", args, { signal, timeoutMs, input: request.content }));
  }

  async editFile(request: Parameters<Work["editFile"]>[0], signal: AbortSignal): Promise<Answer<Edited>> {
    const { path, oldString, newString, maxBytes, lint } = request;
    const args = { path, old: oldString, new: newString, max_bytes: maxBytes, ...linting(lint) };
    return editedAnswer(await this.ask("edit", args, { signal, timeoutMs: fileWorkMs + (lint?.timeoutMs ?? 0) }));
  }

  async glob(request: Parameters<Work["glob"]>[0], signal: AbortSignal): ReturnType<Work["glob"]> {
    const said = await this.ask("glob", { ...request, skip: skippedFolders }, { signal, timeoutMs: fileWorkMs });
    return said.ok ? { ok: true, ...globReply.parse(said.result) } : said;
  }

  async grep(request: Parameters<Work["grep"]>[0], signal: AbortSignal): ReturnType<Work["grep"]> {
    const { pattern, pathGlob, limit } = request;
    const where = pathGlob === null ? {} : { path_glob: pathGlob };
    const args = { pattern, limit, skip: skippedFolders, ...where };
    const said = await this.ask("grep", args, { signal, timeoutMs: fileWorkMs });
    return said.ok ? { ok: true, ...grepReply.parse(said.result) } : said;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.container?.[Symbol.asyncDispose]();
  }

  private async ask(op: string, args: Readonly<Record<string, unknown>>, options: AskOptions): Promise<Said> {
    const chunks: Uint8Array[] = [];
    const onData = (chunk: Uint8Array): void => void chunks.push(chunk);
    try {
      const result = await this.ready().call(op, args, { ...options, onData });
      return { ok: true, result, data: Buffer.concat(chunks) };
    } catch (error) {
      if (!(error instanceof RunnerRefusal) || (error.code !== "tool" && error.code !== "io")) throw error;
      return { ok: false, problem: error.message };
    }
  }

  private ready(): Container {
    if (this.container && !this.container.isLost) return this.container;
    throw new HandsLost("work", "the work container is not there");
  }
}

interface AskOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly input?: Uint8Array;
}

type Said = Answer<{ result: Record<string, unknown>; data: Buffer }>;

function linting(lint: LintRequest | null): Record<string, unknown> {
  if (!lint) return {};
  const argv = [`${containerPaths.tools}/ruff`, "check", "--no-cache", ...lint.args];
  return { lint: { argv, timeout_ms: lint.timeoutMs } };
}

function editedAnswer(said: Said): Answer<Edited> {
  if (!said.ok) return said;
  const { lint_ms, ...rest } = editedReply.parse(said.result);
  return { ok: true, ...rest, lintMs: lint_ms };
}

function couldNotStart(problem: string): CommandResult {
  return {
    exit: notStarted,
    signal: null,
    timedOut: false,
    head: Buffer.from(`${problem}\n`),
    tail: Buffer.alloc(0),
    omitted: 0,
    killed: [],
    ms: 0,
  };
}
