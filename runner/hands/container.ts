import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import type { ContainerCreateOptions, Container as EngineContainer } from "dockerode";
import { TilthError } from "../errors.js";
import type { CallOptions } from "./channel.js";
import { type Channel, ChannelClosed, openChannel } from "./channel.js";
import { containerSpec, type RoleView, type SpecContext } from "./container-spec.js";
import type { Engine } from "./engine.js";
import { statusOf } from "./engine-errors.js";
import { HandsLost } from "./hands.js";
import { withinTime } from "./within-time.js";

const helloWithinMs = 20_000;
const lateWithinMs = 10_000;
const heartbeatMs = 5_000;
const seenGonePollMs = 15;

/** One running container of ours and the channel to its runner. Disposed means killed and seen gone. */
export class Container implements AsyncDisposable {
  private gone: Promise<void> | null = null;
  private closed = false;

  private constructor(
    readonly role: RoleView["role"],
    readonly id: string,
    private readonly engine: Engine,
    readonly channel: Channel,
  ) {
    void channel.closed.then(() => {
      this.closed = true;
    });
  }

  static async start(engine: Engine, view: RoleView, options: StartOptions): Promise<Container> {
    const { signal, context, name = ownName(view, context) } = options;
    const spec = containerSpec(view, context);
    const made = await create({ ...spec, name }, { engine, role: view.role, signal });
    try {
      const channel = await openInside(made, { engine, role: view.role, signal });
      return new Container(view.role, made.id, engine, channel);
    } catch (error) {
      await removeAndSeeGone(engine, made.id);
      throw error;
    }
  }

  /** The runner has gone by itself; the next call would fail. */
  get isLost(): boolean {
    return this.closed || this.gone !== null;
  }

  /** Best effort: a name is free again when its container is gone, at the latest. */
  async rename(name: string): Promise<void> {
    await this.engine.docker
      .getContainer(this.id)
      .rename({ name })
      .catch(() => undefined);
  }

  /** As Channel's `call`; a lost container is HandsLost, after it has been seen gone. */
  async call(op: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CallResult> {
    try {
      return await this.channel.call(op, args, options);
    } catch (error) {
      if (!(error instanceof ChannelClosed)) throw error;
      await this[Symbol.asyncDispose]();
      throw new HandsLost(this.role, `the ${this.role} container went away during ${op}: ${error.message}`, error);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.gone ??= this.end();
    return this.gone;
  }

  private async end(): Promise<void> {
    await this.channel[Symbol.asyncDispose]();
    await removeAndSeeGone(this.engine, this.id);
  }
}

type CallResult = Awaited<ReturnType<Channel["call"]>>;

export interface StartOptions {
  readonly context: SpecContext;
  /** one of its own unless given; what somebody else has is NameTaken */
  readonly name?: string;
  readonly signal: AbortSignal;
}

export class NameTaken extends Error {}

export function ownName({ role }: RoleView, { session }: SpecContext): string {
  return `tilth-${session}-${role}-${randomBytes(4).toString("hex")}`;
}

interface Opening {
  readonly engine: Engine;
  readonly role: string;
  readonly signal: AbortSignal;
}

/** An engine goes on with what it was asked: a container that nobody waits for any more is removed once it is there. */
async function create(spec: ContainerCreateOptions, { engine, role, signal }: Opening): Promise<EngineContainer> {
  const asked: Promise<EngineContainer>[] = [];
  try {
    return await engine.must(`create the ${role} container`, signal, (docker) => {
      const made = docker.createContainer(spec);
      asked.push(made);
      return made;
    });
  } catch (error) {
    const patience = { ms: lateWithinMs, signal: new AbortController().signal };
    const late = await Promise.allSettled(asked.map((made) => withinTime(made, patience)));
    for (const made of late) if (made.status === "fulfilled") await removeAndSeeGone(engine, made.value.id);
    throw error instanceof TilthError && statusOf(error.cause) === 409 ? new NameTaken(error.message) : error;
  }
}

/** Attached before it starts: an engine that is asked later may show nothing of what came earlier. */
async function openInside(made: EngineContainer, { engine, role, signal }: Opening): Promise<Channel> {
  const attached = await engine.must(`attach to the ${role} container`, signal, () =>
    made.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true }),
  );
  const stream = attached as Duplex;
  try {
    await engine.must(`start the ${role} container`, signal, () => started(made));
    return await openChannel(stream, { signal, timeoutMs: helloWithinMs, heartbeatMs, multiplexed: true });
  } catch (error) {
    stream.destroy();
    if (!(error instanceof ChannelClosed)) throw error;
    throw new TilthError(
      "infra",
      `the ${role} container did not come up: ${error.message}`,
      "tilth image verify",
      error,
    );
  }
}

/** Asked again after an outage, it may have started the first time. */
async function started(made: EngineContainer): Promise<void> {
  await made.start().catch((error: unknown) => {
    if (statusOf(error) !== 304) throw error;
  });
}

/** Not bound to a run's signal: what was started is dead when this returns, interrupted or not. */
export async function removeAndSeeGone(engine: Engine, id: string): Promise<void> {
  const { signal } = new AbortController();
  const absent = async (ask: () => Promise<unknown>): Promise<boolean> => {
    try {
      await ask();
      return false;
    } catch (error) {
      if (statusOf(error) === 404) return true;
      if (statusOf(error) === 409) return false; // its removal is already under way
      throw error;
    }
  };
  await engine.must("remove a container", signal, (docker) =>
    absent(() => docker.getContainer(id).remove({ force: true, v: true })),
  );
  const isGone = () =>
    engine.must("look for a container", signal, (docker) => absent(() => docker.getContainer(id).inspect()));
  while (!(await isGone())) await new Promise((resolve) => setTimeout(resolve, seenGonePollMs));
}
