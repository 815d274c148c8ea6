import type { z } from "zod";
import type { CommitId } from "../../../base/ids.js";
import { type AskOptions, askResident, type ResidentAnswer } from "../../pipe/ask.js";
import { ResidentRefusal } from "../../pipe/channel-errors.js";
import { type Operation, perform } from "../../pipe/perform.js";
import { operations } from "../../pipe/wire/operations.js";
import { againAfterSleep } from "../../ports/after-sleep.js";
import { containerPaths } from "../../ports/container-paths.js";
import type { BuiltEnvironment } from "../../ports/environment.js";
import { HandsLost } from "../../ports/hands.js";
import type {
  Answer,
  FileRead,
  FileRequest,
  GlobRequest,
  GlobResult,
  GrepRequest,
  GrepResult,
} from "../../ports/reading.js";
import type { Sandbox } from "../../ports/sandbox.js";
import type { WayOut } from "../../ports/way-out.js";
import type { CommandResult, EditResult, LintRequest, Receipt, Work } from "../../ports/work.js";
import { ContainerFiles, fileWorkMs } from "../container-files.js";
import { ruffCheck } from "../ruff-rules.js";

/** Bytes kept of each end of a command's output. */
const keptBytes = 16_384;
/** time that the resident may take beyond its own time-out, to kill and to count */
const graceMs = 30_000;
/** a shell's exit code for a command that it could not start */
const notStarted = 126;

export interface WorkParts {
  /** the caller owns the container that this returns */
  readonly start: (environment: BuiltEnvironment | null, signal: AbortSignal) => Promise<Sandbox>;
  /** the whole environment of a command */
  readonly env: (environment: BuiltEnvironment | null) => Readonly<Record<string, string>>;
  /** the most that the worktree may take */
  readonly diskBytes: number;
  readonly wayOut: WayOut | null;
}

/** The worker's tools; each is one call to the resident of the work container. */
export class ContainerWork implements Work, AsyncDisposable {
  private container: Sandbox | null = null;
  private proxy: Readonly<Record<string, string>> = {};
  /** the environment of the present container; `wanted` is for the next one */
  private mounted: BuiltEnvironment | null = null;
  private wanted: BuiltEnvironment | null = null;
  private readonly files = new ContainerFiles(() => this.ready());

  constructor(private readonly parts: WorkParts) {}

  get isLost(): boolean {
    return this.container?.isLost ?? false;
  }

  get endedAsleep(): boolean {
    return this.container?.endedAsleep ?? false;
  }

  get isCurrent(): boolean {
    return this.mounted?.id === this.wanted?.id;
  }

  /** Sets the environment of the next container; the present one keeps its own. */
  use(environment: BuiltEnvironment | null): void {
    this.wanted = environment;
  }

  async start(signal: AbortSignal): Promise<Receipt> {
    if (this.container && !this.container.isLost && this.isCurrent) return this.container.receipt;
    return await againAfterSleep(() => this.startAnew(signal));
  }

  private async startAnew(signal: AbortSignal): Promise<Receipt> {
    await this.container?.[Symbol.asyncDispose]();
    const { wanted } = this;
    const container = await this.parts.start(wanted, signal);
    this.container = container;
    this.mounted = wanted;
    if (this.parts.wayOut !== null) this.proxy = await proxyIn(container, signal);
    return container.receipt;
  }

  async beginTask(commit: CommitId, signal: AbortSignal): Promise<void> {
    await this.orLost(operations.reset, { commit }, signal);
  }

  async bash(command: string, timeoutMs: number, signal: AbortSignal): Promise<CommandResult> {
    const args = {
      argv: ["/bin/bash", "-c", command],
      cwd: containerPaths.workspace,
      env: { ...this.parts.env(this.mounted), ...this.proxy },
      timeout_ms: timeoutMs,
      output: "merged" as const,
      head: keptBytes,
      tail: keptBytes,
      stdin: false,
      disk_bytes: this.parts.diskBytes,
    };
    this.parts.wayOut?.takeRefused();
    const said = await this.ask(operations.exec, args, { signal, timeoutMs: timeoutMs + graceMs });
    if (!said.ok) return couldNotStart(said.problem);
    const { head, tail, timed_out, ...rest } = said.reply;
    return {
      ...rest,
      timedOut: timed_out,
      refusedHosts: this.parts.wayOut?.takeRefused() ?? [],
      head: said.data.subarray(0, head),
      tail: said.data.subarray(head, head + tail),
    };
  }

  async quiet(signal: AbortSignal): Promise<void> {
    await this.orLost(operations.quiet, {}, signal);
  }

  async readFile(request: FileRequest, signal: AbortSignal): Promise<Answer<FileRead>> {
    return (await this.files.readFile(request, null, signal)).answer;
  }

  async writeFile(request: Parameters<Work["writeFile"]>[0], signal: AbortSignal): Promise<Answer<EditResult>> {
    const args = { path: request.path, lint: linting(request.lint) };
    const timeoutMs = fileWorkMs + (request.lint?.timeoutMs ?? 0);
    return editedAnswer(await this.ask(operations.write, args, { signal, timeoutMs, input: request.content }));
  }

  async editFile(request: Parameters<Work["editFile"]>[0], signal: AbortSignal): Promise<Answer<EditResult>> {
    const { path, oldString, newString, maxBytes, lint } = request;
    const args = { path, old: oldString, new: newString, max_bytes: maxBytes, lint: linting(lint) };
    return editedAnswer(
      await this.ask(operations.edit, args, { signal, timeoutMs: fileWorkMs + (lint?.timeoutMs ?? 0) }),
    );
  }

  async glob(request: GlobRequest, signal: AbortSignal): Promise<Answer<GlobResult>> {
    return (await this.files.glob(request, null, signal)).answer;
  }

  async grep(request: GrepRequest, signal: AbortSignal): Promise<Answer<GrepResult>> {
    return (await this.files.grep(request, null, signal)).answer;
  }

  async end(): Promise<void> {
    await this.container?.[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  /** Makes a call that must succeed: a container that refuses it is useless, and a new one takes its place. */
  private async orLost<Args extends Readonly<Record<string, unknown>>>(
    operation: Operation<Args, unknown>,
    args: NoInfer<Args>,
    signal: AbortSignal,
  ): Promise<void> {
    const container = this.ready();
    try {
      await perform(container, operation, args, { signal, timeoutMs: fileWorkMs });
    } catch (error) {
      if (!(error instanceof ResidentRefusal) || error.code !== "io") throw error;
      await container[Symbol.asyncDispose]();
      throw new HandsLost("work", error.message, { cause: error });
    }
  }

  private ask<Args extends Readonly<Record<string, unknown>>, Reply>(
    operation: Operation<Args, Reply>,
    args: NoInfer<Args>,
    options: AskOptions,
  ): Promise<ResidentAnswer<Reply>> {
    return askResident(this.ready(), operation, args, options);
  }

  private ready(): Sandbox {
    if (this.container && !this.container.isLost) return this.container;
    throw new HandsLost("work", "the work container is not there", { asleep: this.endedAsleep });
  }
}

/** Returns the variables that programs read to find a proxy. */
async function proxyIn(container: Sandbox, signal: AbortSignal): Promise<Record<string, string>> {
  const { port } = await perform(container, operations.listen, {}, { signal, timeoutMs: fileWorkMs });
  const proxy = `http://127.0.0.1:${port}`;
  const own = "localhost,127.0.0.1,::1";
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: own,
    no_proxy: own,
  };
}

function linting(lint: LintRequest | null) {
  return lint && { argv: ruffCheck(lint.rules, "--force-exclude"), timeout_ms: lint.timeoutMs };
}

function editedAnswer(said: ResidentAnswer<z.infer<typeof operations.edit.reply>>): Answer<EditResult> {
  if (!said.ok) return said;
  const { lint_ms, ...rest } = said.reply;
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
    full: null,
    refusedHosts: [],
    ms: 0,
  };
}
