import { z } from "zod";
import { RunnerRefusal } from "./channel-errors.js";
import { ProtocolError } from "./frames.js";

const result = z.union([
  z.looseObject({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
]);

type OnData = (chunk: Uint8Array) => void | Promise<void>;

/** One call on its way: where its output goes, and how it ends. The first reason to give it up wins. */
export class PendingCall {
  readonly outcome: Promise<Record<string, unknown>>;
  done = false;
  readonly #onData: OnData | undefined;
  #givenUp: { readonly reason: unknown } | null = null;
  #resolve: (value: Record<string, unknown>) => void = () => {};
  #reject: (reason: unknown) => void = () => {};

  constructor(onData: OnData | undefined) {
    this.#onData = onData;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Its result, whatever it says, will be this failure. False when it was given up before. */
  giveUp(reason: unknown): boolean {
    if (this.#givenUp !== null || this.done) return false;
    this.#givenUp = { reason };
    return true;
  }

  /** Fails as the consumer of the data does. */
  take(chunk: Uint8Array): void | Promise<void> {
    return this.#givenUp === null ? this.#onData?.(chunk) : undefined;
  }

  answer(payload: Uint8Array): void {
    const parsed = result.safeParse(parseJson(payload));
    if (!parsed.success) throw new ProtocolError("a result that is none");
    this.done = true;
    if (this.#givenUp !== null) this.#reject(this.#givenUp.reason);
    else if (parsed.data.ok) this.#resolve(parsed.data);
    else this.#reject(new RunnerRefusal(parsed.data.code, parsed.data.message));
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
