import type { z } from "zod";
import { GrowingBytes } from "../../../disk/growing-bytes.js";
import { ResidentRefusal } from "../../pipe/channel-errors.js";
import { perform } from "../../pipe/perform.js";
import { operations } from "../../pipe/wire/operations.js";
import { checkPython } from "../../ports/container-paths.js";
import { HandsLost } from "../../ports/hands.js";
import type { CallOptions, Sandbox } from "../../ports/sandbox.js";
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

  async run(request: ZygoteRequest, timeoutMs: number, signal: AbortSignal): Promise<ZygoteEnd> {
    const report = new GrowingBytes();
    const { payload, input, onReport } = request;
    const args = { payload, timeout_ms: Math.ceil(timeoutMs), head: keptOutput, tail: keptOutput };
    const options: CallOptions = {
      signal,
      timeoutMs: timeoutMs + graceMs,
      onData: (chunk) => {
        report.add(chunk);
        onReport?.(chunk);
      },
      ...(input === undefined ? {} : { input: Buffer.from(JSON.stringify(input)) }),
    };
    const said = await perform(this.container, operations.zygote_call, args, options).catch(lostWithZygote);
    return { ...said, report: report.take() };
  }

  /** For requests that run nothing of the project: either their report is an answer, or the container is broken. */
  async ask<T>(request: ZygoteRequest, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const end = await this.run(request, ownWorkMs, signal);
    const answer = reportAs(schema, end.report);
    if (answer === null || end.exit !== 0) {
      const why = `${end.output_head}${end.output_tail}`.trim().slice(-2_000);
      throw new HandsLost("check", `the check container could not answer ${request.payload.do}: ${why}`);
    }
    return answer;
  }
}

interface ZygoteRequest {
  readonly payload: { readonly do: string } & Readonly<Record<string, unknown>>;
  readonly input?: unknown;
  /** called for each piece of the report as it comes */
  readonly onReport?: (chunk: Uint8Array) => void;
}

/** A test can kill the process that forked it, or use up the resident's resources; the container is useless then. */
function lostWithZygote(error: unknown): never {
  if (error instanceof ResidentRefusal && (error.code === "zygote_lost" || error.code === "io"))
    throw new HandsLost("check", error.message, { cause: error });
  throw error;
}
