import { HandsLost } from "../ports/hands.js";
import type { CallOptions, Sandbox, SandboxRole } from "../ports/sandbox.js";
import type { Receipt } from "../ports/work.js";
import { type Channel, ChannelClosed } from "./channel.js";

/** A sandbox at whose other end of the pipe a resident answers. Disposing ends it and waits until it is seen gone. */
export abstract class PipedSandbox implements Sandbox {
  abstract readonly receipt: Receipt;
  #gone: Promise<void> | null = null;
  #closed = false;

  constructor(
    readonly role: SandboxRole,
    private readonly channel: Channel,
  ) {
    void channel.closed.then(() => {
      this.#closed = true;
    });
  }

  /** The resident has ended by itself; the next call would fail. */
  get isLost(): boolean {
    return this.#closed || this.#gone !== null;
  }

  /** It ended because this process was held up for longer than its resident waits. */
  get endedAsleep(): boolean {
    return this.channel.endedAsleep;
  }

  /** Like Channel's `call`; a lost sandbox throws HandsLost once it has been seen gone. */
  async call(op: string, args: Readonly<Record<string, unknown>>, options: CallOptions) {
    try {
      return await this.channel.call(op, args, options);
    } catch (error) {
      if (!(error instanceof ChannelClosed)) throw error;
      await this[Symbol.asyncDispose]();
      const message = `the ${this.role} container went away during ${op}: ${error.message}`;
      throw new HandsLost(this.role, message, { cause: error, asleep: error.asleep });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#gone ??= this.#end();
    return this.#gone;
  }

  /** Ends whatever the pipe led to; on return it has been seen gone. Called once the pipe is closed. */
  protected abstract remove(): Promise<void>;

  async #end(): Promise<void> {
    await this.channel[Symbol.asyncDispose]();
    await this.remove();
  }
}
