import { GrowingBytes } from "../../disk/growing-bytes.js";
import type { Answer } from "../ports/reading.js";
import type { Sandbox } from "../ports/sandbox.js";
import { ResidentRefusal } from "./channel.js";

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly input?: Uint8Array;
}

/** more than any file that is read, and any output that is kept */
const mostBytes = 8 * 1024 * 1024;

export type ResidentReply = Answer<{ result: Record<string, unknown>; data: Buffer }>;

/** Makes one call. A failure that the asker or the repository caused is an answer, not an error. */
export async function askResident(
  sandbox: Sandbox,
  { op, ...args }: Readonly<Record<string, unknown>> & { readonly op: string },
  options: AskOptions,
): Promise<ResidentReply> {
  const data = new GrowingBytes();
  const onData = (chunk: Uint8Array): void => data.add(chunk);
  try {
    const result = await sandbox.call(op, args, { ...options, onData, mostBytes });
    return { ok: true, result, data: data.take() };
  } catch (error) {
    if (!(error instanceof ResidentRefusal) || (error.code !== "tool" && error.code !== "io")) throw error;
    return { ok: false, problem: error.message };
  }
}
