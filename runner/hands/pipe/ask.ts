import { GrowingBytes } from "../../base/growing-bytes.js";
import type { Answer } from "../ports/reading.js";
import type { Sandbox } from "../ports/sandbox.js";
import { ResidentRefusal } from "./channel-errors.js";
import { type Operation, perform } from "./perform.js";

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly input?: Uint8Array;
}

/** more than any file that is read, and any output that is kept */
const mostBytes = 8 * 1024 * 1024;

export type ResidentAnswer<Reply> = Answer<{ readonly reply: Reply; readonly data: Buffer }>;

/** Makes one call. A failure that the asker or the repository caused is an answer, not an error. */
export async function askResident<Args extends Readonly<Record<string, unknown>>, Reply>(
  sandbox: Sandbox,
  operation: Operation<Args, Reply>,
  args: NoInfer<Args>,
  options: AskOptions,
): Promise<ResidentAnswer<Reply>> {
  const data = new GrowingBytes();
  const onData = (chunk: Uint8Array): void => data.add(chunk);
  try {
    const reply = await perform(sandbox, operation, args, { ...options, onData, mostBytes });
    return { ok: true, reply, data: data.take() };
  } catch (error) {
    if (!(error instanceof ResidentRefusal) || (error.code !== "tool" && error.code !== "io")) throw error;
    return { ok: false, problem: error.message };
  }
}
