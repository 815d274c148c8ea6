import type { z } from "zod";
import { GrowingBytes } from "../../../../base/growing-bytes.js";
import { ResidentRefusal } from "../../../pipe/channel-errors.js";
import { perform } from "../../../pipe/perform.js";
import { operations } from "../../../pipe/wire/operations.js";
import { checkPython } from "../../../ports/container-paths.js";
import { HandsLost } from "../../../ports/hands.js";
import type { CallOptions, Sandbox } from "../../../ports/sandbox.js";
import { reportAs } from "./replies.js";

/** The part of a sandbox that checks use. */
export type CheckSandbox = Pick<Sandbox, "isLost" | "call"> & AsyncDisposable;

export type StartCheckSandbox = (signal: AbortSignal) => Promise<CheckSandbox>;

export interface ZygoteEnd extends z.infer<typeof operations.zygote_call.reply> {
  readonly report: Uint8Array;
}

/** Time that the resident may take beyond its own time-out, to kill and to count. */
export const graceMs = 30_000;
const program = "/opt/tilth/check/__main__.py";
const startMs = 90_000;
const ownWorkMs = 60_000;
const keptOutput = 16 * 1024;

/** The process in a check container that has pytest imported and forks for each request. */
export class Zygote {
  constructor(
    private readonly container: CheckSandbox,
    private readonly env: Readonly<Record<string, string>>,
    private readonly python = checkPython(false),
  ) {}

  async start(signal: AbortSignal): Promise<void> {
    const argv = [this.python, "-I", program];
    const options = { signal, timeoutMs: startMs };
    await perform(this.container, operations.zygote, { argv, env: this.env }, options).catch(lostWithZygote);
  }

  async run<Payload extends object, Input>(
    { do: name }: ZygoteRequest<Payload, Input, unknown>,
    { payload, input, timeoutMs, onReport }: TimedFields<NoInfer<Payload>, NoInfer<Input>>,
    signal: AbortSignal,
  ): Promise<ZygoteEnd> {
    const report = new GrowingBytes();
    const kept = { head: keptOutput, tail: keptOutput };
    const args = { payload: { ...payload, do: name }, timeout_ms: Math.ceil(timeoutMs), ...kept };
    const options: CallOptions = {
      signal,
      timeoutMs: timeoutMs + graceMs,
      onData: (chunk) => {
        report.add(chunk);
        onReport?.(chunk);
      },
      input: Buffer.from(JSON.stringify(input)),
    };
    const said = await perform(this.container, operations.zygote_call, args, options).catch(lostWithZygote);
    return { ...said, report: report.take() };
  }

  /** For requests that run nothing of the project: either their report is an answer, or the container is broken. */
  async ask<Payload extends object, Input, Report>(
    request: ZygoteRequest<Payload, Input, Report>,
    fields: RequestFields<NoInfer<Payload>, NoInfer<Input>>,
    signal: AbortSignal,
  ): Promise<Report> {
    const end = await this.run(request, { ...fields, timeoutMs: ownWorkMs }, signal);
    const answer = reportAs(request.report, end.report);
    if (answer === null || end.exit !== 0) {
      const why = `${end.output_head}${end.output_tail}`.trim().slice(-2_000);
      throw new HandsLost("check", `the check container could not answer ${request.do}: ${why}`);
    }
    return answer;
  }
}

/** One of `checkRequests` or `testRuns`. */
export interface ZygoteRequest<Payload, Input, Report> {
  readonly do: string;
  readonly payload: z.ZodType<Payload>;
  readonly input: z.ZodType<Input>;
  readonly report: z.ZodType<Report>;
}

export interface RequestFields<Payload, Input> {
  readonly payload: Payload;
  readonly input: Input;
}

interface TimedFields<Payload, Input> extends RequestFields<Payload, Input> {
  readonly timeoutMs: number;
  /** called for each piece of the report as it comes */
  readonly onReport?: (chunk: Uint8Array) => void;
}

/** A test can kill the process that forked it, or use up the resident's resources; the container is useless then. */
function lostWithZygote(error: unknown): never {
  if (error instanceof ResidentRefusal && (error.code === "zygote_lost" || error.code === "io"))
    throw new HandsLost("check", error.message, { cause: error });
  throw error;
}
