import { type Duplex, duplexPair } from "node:stream";
import { EngineDemux } from "../../runner/hands/docker/engine/engine-demux.js";
import { type Channel, type OpenOptions, openChannel } from "../../runner/hands/pipe/channel.js";
import { type Frame, FrameReader, frameHeader, magic } from "../../runner/hands/pipe/frames.js";
import { kinds } from "../../runner/hands/pipe/wire/protocol.js";

const greeting = JSON.stringify({ protocol: 1, pid: 1, python: "3.11.2" });

export interface FakeOptions {
  readonly multiplexed?: boolean;
  readonly mute?: boolean;
  /** null sends no hello */
  readonly hello?: string | null;
}

/** The other end of a channel, controlled by a test: it sends whatever it is told, well-formed or not. */
export class FakeResident {
  readonly received: Frame[] = [];
  readonly #waiting: { readonly kind: number; readonly resolve: (frame: Frame) => void }[] = [];

  #held: Promise<void> = Promise.resolve();

  private constructor(
    readonly brainSide: Duplex,
    private readonly ownSide: Duplex,
    private readonly multiplexed: boolean,
  ) {}

  /** Says hello when it has seen the magic, and answers pings unless `mute`. */
  static make({ multiplexed = false, mute = false, hello = greeting }: FakeOptions = {}): FakeResident {
    const [brainSide, ownSide] = duplexPair();
    const fake = new FakeResident(brainSide, ownSide, multiplexed);
    void fake.#listen(hello, mute);
    return fake;
  }

  static async open(options: FakeOptions & Partial<OpenOptions> = {}) {
    const resident = FakeResident.make(options);
    return { resident, channel: await resident.open(options) };
  }

  open(options: Partial<OpenOptions> = {}): Promise<Channel> {
    const signal = new AbortController().signal;
    const outputs = this.multiplexed ? { outputs: new EngineDemux() } : {};
    return openChannel(this.brainSide, { signal, timeoutMs: 2_000, heartbeatMs: 1_000, ...options, ...outputs });
  }

  send(kind: number, callId: number, payload: string | Uint8Array = ""): boolean {
    const bytes = Buffer.from(payload);
    return this.raw(Buffer.concat([frameHeader(kind, callId, bytes.length), bytes]));
  }

  /** Writes through the engine's multiplexer, if there is one. */
  raw(bytes: Buffer, stream = 1): boolean {
    if (!this.multiplexed) return this.ownSide.write(bytes);
    const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32BE(bytes.length, 4);
    return this.ownSide.write(Buffer.concat([header, bytes]));
  }

  answer(callId: number, result: object): void {
    this.send(kinds.result, callId, JSON.stringify({ swept: true, ...result }));
  }

  /** Waits for the next frame of that kind. */
  next(kind: number): Promise<Frame> {
    return new Promise((resolve) => this.#waiting.push({ kind, resolve }));
  }

  end(): void {
    this.ownSide.end();
  }

  get drained(): Promise<void> {
    return new Promise((resolve) => void this.ownSide.once("drain", resolve));
  }

  /** Stops reading until the function given back is called. */
  holdReading(): () => void {
    let release = () => {};
    this.#held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  /** Writes past the engine's multiplexer. */
  garble(bytes: Buffer): void {
    this.ownSide.write(bytes);
  }

  async #listen(hello: string | null, mute: boolean): Promise<void> {
    const reader = new FrameReader();
    let greeted = false;
    for await (const chunk of this.ownSide.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const bytes = greeted ? chunk : chunk.subarray(magic.length);
      if (!greeted && hello !== null) this.send(kinds.hello, 0, hello);
      greeted = true;
      for (const frame of reader.read(bytes)) this.#take(frame, mute);
      await this.#held;
    }
    this.ownSide.end();
  }

  #take(frame: Frame, mute: boolean): void {
    this.received.push(frame);
    if (frame.kind === kinds.ping && !mute) this.send(kinds.pong, frame.callId);
    const index = this.#waiting.findIndex(({ kind }) => kind === frame.kind);
    if (index >= 0) this.#waiting.splice(index, 1)[0]?.resolve(frame);
  }
}
