import type { Clock } from "../../runner/base/clock.js";
import { Interrupted } from "../../runner/base/errors.js";
import { type Asker, type ModelLimits, openModelClient } from "../../runner/model/openai-client.js";
import type {
  CallOptions,
  LimitWait,
  ModelClient,
  ModelReply,
  ModelRequest,
  ParameterLeftOut,
  Retry,
} from "../../runner/model/port/model-client.js";
import type { Endpoints } from "../../runner/settings/endpoints.js";

export const question: ModelRequest = {
  role: "worker",
  messages: [{ role: "user", content: "hello" }],
  tools: [{ name: "bash", description: "runs a command", parameters: { type: "object" } }],
};

/** Sleeps take no time and are written down. */
export class JumpingClock implements Clock {
  readonly slept: number[] = [];
  #ms = 0;
  #set = 0;

  now(): Date {
    return new Date(Date.UTC(2030, 0, 1) + this.#ms + this.#set);
  }

  /** Plays a person who sets the wall clock, or a machine that sleeps; no time of this process passes. */
  setBy(ms: number): void {
    this.#set += ms;
  }

  monotonicMs(): number {
    return this.#ms;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new Interrupted();
    this.slept.push(ms);
    this.#ms += ms;
  }
}

export class Asking {
  readonly clock: JumpingClock;
  readonly retries: Retry[] = [];
  readonly waits: LimitWait[] = [];
  readonly leftOut: ParameterLeftOut[] = [];
  readonly client: ModelClient;

  constructor(
    endpoints: Endpoints,
    limits: Partial<ModelLimits> = {},
    asker: Omit<Partial<Asker>, "clock"> & { readonly clock?: JumpingClock } = {},
  ) {
    this.clock = asker.clock ?? new JumpingClock();
    this.client = openModelClient(
      endpoints,
      { requestTimeoutSeconds: 20, maxOutageMinutes: 10, ...limits },
      // waits end when they should, to the millisecond
      { session: "asking", random: () => 0, ...asker, clock: this.clock },
    );
  }

  ask(request: Partial<ModelRequest> = {}, options: Partial<CallOptions> = {}): Promise<ModelReply> {
    return this.client.complete(
      { ...question, ...request },
      {
        signal: new AbortController().signal,
        onRetry: (retry) => this.retries.push(retry),
        onLimitWait: (wait) => this.waits.push(wait),
        onLeftOut: (one) => this.leftOut.push(one),
        ...options,
      },
    );
  }

  /** Gives the error that a question fails with. */
  async failure(request: Partial<ModelRequest> = {}, options: Partial<CallOptions> = {}): Promise<unknown> {
    return this.ask(request, options).then(
      (reply) => new Error(`no failure but a reply: ${JSON.stringify(reply)}`),
      (error: unknown) => error,
    );
  }
}
