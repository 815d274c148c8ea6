import type { Duplex } from "node:stream";
import { afterAwake } from "../../base/awake.js";
import { Interrupted } from "../../base/errors.js";
import type { CallOptions } from "../ports/sandbox.js";
import { ChannelClosed, ResidentRefusal } from "./channel-errors.js";
import { ContainerStreams, type OnConnection } from "./container-streams.js";
import { FrameWriter } from "./frame-writer.js";
import { type Frame, FrameReader, magic, maxPayload, ProtocolError } from "./frames.js";
import { Greeting } from "./greeting.js";
import { Heartbeat, type HeartbeatOptions } from "./heartbeat.js";
import { PendingCall } from "./pending-call.js";
import { type CallHead, type Hello, kinds } from "./wire/protocol.js";

export { ChannelClosed, ResidentRefusal };

/**
 * One resident, many calls. A call that was answered, with yes or no, has left nothing alive in the container. It fails
 * with ResidentRefusal (the answer is "no"), ChannelClosed (there is no resident any more; also when `timeoutMs` passed
 * without an answer, or the resident did not see everything dead), or Interrupted (the signal aborted and the resident has
 * confirmed that the call's processes are dead). An error of `input` or `onData` cancels the call and is thrown by it.
 */
export interface Channel extends AsyncDisposable {
  readonly hello: Hello;
  call(op: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<Record<string, unknown>>;
  /** settles, never rejects, when the stream has ended */
  readonly closed: Promise<void>;
  /** true when it ended because this process was held up for longer than the resident waits */
  readonly endedAsleep: boolean;
}

export interface OpenOptions extends HeartbeatOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** for a stream that carries standard error as well; by default all of it is frames */
  readonly outputs?: Outputs;
  /** handles connections of programs in the container; without it none may come */
  readonly onConnection?: OnConnection | undefined;
}

/** Takes the resident's two outputs out of whatever its provider puts them into. */
export interface Outputs {
  /** Yields the parts of `chunk` that are standard output. */
  read(chunk: Buffer): Iterable<Buffer>;
  /** the end of standard error, on one printable line */
  readonly stderr: string;
}

export async function openChannel(stream: Duplex, options: OpenOptions): Promise<Channel> {
  const channel = new ResidentChannel(stream, options);
  await channel.open(options);
  return channel;
}

const inputChunk = 256 * 1024;
/** the resident gives stubborn processes ten seconds to die, and then ends the container */
const cancelMs = 15_000;
const goodbyeMs = 1_000;

class ResidentChannel implements Channel {
  readonly closed: Promise<void>;
  readonly #stream: Duplex;
  readonly #outputs: Outputs | null;
  readonly #frames = new FrameReader();
  readonly #calls = new Map<number, PendingCall>();
  readonly #greeting = new Greeting();
  readonly #heartbeat: Heartbeat;
  readonly #writer: FrameWriter;
  #nextId = 1;
  #ended: ChannelClosed | null = null;
  readonly #streams: ContainerStreams | null;

  constructor(stream: Duplex, options: OpenOptions) {
    this.#stream = stream;
    this.#writer = new FrameWriter(stream);
    this.#outputs = options.outputs ?? null;
    this.#streams = options.onConnection ? new ContainerStreams(this.#writer, options.onConnection) : null;
    this.closed = stream.closed ? Promise.resolve() : new Promise((resolve) => stream.once("close", resolve));
    stream.on("error", (error) => this.#end("the stream to the resident broke", error));
    stream.once("close", () => this.#end(this.#lastWords()));
    this.#heartbeat = new Heartbeat(options, {
      ping: () => this.#writer.send(kinds.ping, 0),
      silent: () => this.#end("the resident stopped answering"),
    });
  }

  get hello(): Hello {
    if (this.#greeting.hello === null) throw new Error("the channel is not open yet");
    return this.#greeting.hello;
  }

  async open({ signal, timeoutMs }: OpenOptions): Promise<void> {
    const late = afterAwake(timeoutMs, () => this.#end("the resident did not say hello in time"));
    const abort = () => this.#end("interrupted before hello");
    signal.addEventListener("abort", abort, { once: true });
    try {
      if (signal.aborted) abort();
      if (this.#ended === null) this.#stream.write(magic);
      void this.#readAll();
      await this.#greeting.heard();
    } catch (error) {
      throw signal.aborted ? new Interrupted() : error;
    } finally {
      late.clear();
      signal.removeEventListener("abort", abort);
    }
  }

  async call(op: string, args: Readonly<Record<string, unknown>>, options: CallOptions) {
    if (options.signal.aborted) throw new Interrupted();
    if (this.#ended !== null) throw this.#ended;
    const request = Buffer.from(JSON.stringify({ ...args, op } satisfies CallHead));
    if (request.length > maxPayload) throw new ResidentRefusal("tool", `${op}: its arguments are over 1 MB`);
    const id = this.#freeId();
    const pending = new PendingCall(options.onData, options.mostBytes);
    this.#calls.set(id, pending);
    const late = () => this.#end(`${op} was not answered within ${options.timeoutMs} ms`);
    const timer = afterAwake(options.timeoutMs, late);
    const abort = () => this.#cancel(id, pending, new Interrupted());
    options.signal.addEventListener("abort", abort, { once: true });
    try {
      void this.#request(id, request, pending, options.input);
      return await pending.outcome;
    } finally {
      timer.clear();
      options.signal.removeEventListener("abort", abort);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const late = afterAwake(goodbyeMs, () => this.#stream.destroy());
    this.#settle("the channel was closed");
    this.#stream.end();
    await this.closed;
    late.clear();
  }

  get endedAsleep(): boolean {
    return this.#ended?.asleep ?? false;
  }

  #freeId(): number {
    while (this.#calls.has(this.#nextId)) this.#nextId = (this.#nextId % 0xffffffff) + 1;
    const id = this.#nextId;
    this.#nextId = (id % 0xffffffff) + 1;
    return id;
  }

  async #request(id: number, request: Buffer, pending: PendingCall, input: CallOptions["input"]): Promise<void> {
    try {
      this.#writer.send(kinds.call, id, request);
      const chunks = input === undefined || input instanceof Uint8Array ? [input ?? new Uint8Array()] : input;
      for await (const chunk of chunks) if (!(await this.#feed(id, chunk, pending))) return;
      this.#writer.send(kinds.end, id);
    } catch (error) {
      this.#cancel(id, pending, error);
    }
  }

  /** Returns false when nobody wants more. */
  async #feed(id: number, bytes: Uint8Array, pending: PendingCall): Promise<boolean> {
    for (let start = 0; start < bytes.length; start += inputChunk) {
      if (pending.done || this.#ended !== null) return false;
      this.#writer.send(kinds.data, id, bytes.subarray(start, start + inputChunk));
      if (this.#writer.isFull) await this.#writer.drained();
    }
    return !pending.done && this.#ended === null;
  }

  #cancel(id: number, pending: PendingCall, reason: unknown): void {
    if (!pending.giveUp(reason)) return;
    this.#writer.send(kinds.cancel, id);
    const late = () => this.#end("the resident did not confirm that a cancelled call is dead");
    const timer = afterAwake(cancelMs, late);
    const clear = () => timer.clear();
    pending.outcome.then(clear, clear);
  }

  async #readAll(): Promise<void> {
    try {
      for await (const chunk of this.#stream) {
        this.#heartbeat.heard();
        for (const part of this.#outputs?.read(chunk) ?? [chunk]) {
          for (const frame of this.#frames.read(part)) await this.#take(frame);
        }
      }
      this.#end(this.#lastWords());
    } catch (error) {
      const why = error instanceof ProtocolError ? `the resident does not keep to its protocol: ${error.message}` : "";
      this.#end(why || "the stream to the resident broke", error);
    }
  }

  async #take(frame: Frame): Promise<void> {
    const { kind, callId, payload } = frame;
    if (kind === kinds.pong) return this.#heartbeat.answered();
    if (this.#streams !== null && ContainerStreams.concerns(frame)) return this.#streams.take(frame);
    if (kind === kinds.hello) {
      this.#greeting.take(payload);
      return this.#heartbeat.open();
    }
    const pending = this.#calls.get(callId);
    if (pending === undefined) throw new ProtocolError(`a frame of kind ${kind} for a call that is not open`);
    if (kind === kinds.output) {
      pending.count(payload.length);
      await this.#consume(callId, pending, payload);
    } else if (kind === kinds.result) {
      pending.answer(payload);
      this.#calls.delete(callId);
    } else {
      throw new ProtocolError(`a frame of unknown kind ${kind}`);
    }
  }

  async #consume(callId: number, pending: PendingCall, payload: Uint8Array): Promise<void> {
    this.#heartbeat.hold();
    try {
      await pending.take(payload);
    } catch (error) {
      this.#cancel(callId, pending, error);
    } finally {
      this.#heartbeat.release();
    }
  }

  #lastWords(): string {
    const said = this.#outputs?.stderr ?? "";
    return said === "" ? "the resident ended" : `the resident ended: ${said}`;
  }

  #end(why: string, cause?: unknown): void {
    this.#settle(why, cause);
    this.#stream.destroy();
  }

  #settle(why: string, cause?: unknown): void {
    if (this.#ended !== null) return;
    const reason = new ChannelClosed(why, { cause, asleep: this.#heartbeat.sleptSince });
    this.#ended = reason;
    this.#heartbeat.end();
    this.#writer.end();
    this.#greeting.refuse(reason);
    for (const pending of this.#calls.values()) pending.fail(reason);
    this.#calls.clear();
    this.#streams?.end();
  }
}
