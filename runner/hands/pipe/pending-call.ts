import { z } from "zod";
import { ResidentRefusal } from "./channel-errors.js";
import { ProtocolError } from "./frames.js";
import { done, refused } from "./wire/protocol.js";

const result = z.union([done.loose(), refused]);

/** room for the report of a test process, which may have 64 MB */
const usualBytes = 80 * 1024 * 1024;
const frameCosts = 64;

type OnData = (chunk: Uint8Array) => void | Promise<void>;

/** One call under way: it gets the output, and settles the outcome. The first reason to give it up wins. */
export class PendingCall {
  readonly outcome: Promise<Record<string, unknown>>;
  done = false;
  readonly #onData: OnData | undefined;
  #bytesLeft: number;
  #givenUp: { readonly reason: unknown } | null = null;
  #resolve: (value: Record<string, unknown>) => void = () => {};
  #reject: (reason: unknown) => void = () => {};

  constructor(onData: OnData | undefined, mostBytes = usualBytes) {
    this.#onData = onData;
    this.#bytesLeft = mostBytes;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** From now on any result counts as this failure. Returns false when the call was given up or done before. */
  giveUp(reason: unknown): boolean {
    if (this.#givenUp !== null || this.done) return false;
    this.#givenUp = { reason };
    return true;
  }

  count(bytes: number): void {
    this.#bytesLeft -= bytes + frameCosts;
    if (this.#bytesLeft < 0) throw new ProtocolError("more output than the call may have");
  }

  /** Fails as the consumer of the data does. */
  take(chunk: Uint8Array): void | Promise<void> {
    return this.#givenUp === null ? this.#onData?.(chunk) : undefined;
  }

  answer(payload: Uint8Array): void {
    const parsed = result.safeParse(parseJson(payload));
    if (!parsed.success) throw new ProtocolError("a result that is none");
    const { swept, ...said } = parsed.data;
    // accepting this answer would leave processes at work in the container
    if (!swept) throw new ProtocolError("it has not seen dead what a call had started");
    this.done = true;
    if (this.#givenUp !== null) this.#reject(this.#givenUp.reason);
    else if (said.ok) this.#resolve(said);
    else this.#reject(new ResidentRefusal(said.code, said.message));
  }

  fail(reason: unknown): void {
    this.done = true;
    this.#reject(reason);
  }
}

export function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) throw new ProtocolError("JSON that is none");
    throw error;
  }
}
