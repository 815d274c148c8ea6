import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import type Docker from "dockerode";
import type { ContainerCreateOptions, Container as EngineContainer } from "dockerode";
import { asleepMs, pause } from "../../../base/awake.js";
import { TilthError } from "../../../base/errors.js";
import { oneLine } from "../../../text/sanitise.js";
import { sleptALease } from "../../pipe/answered-pings.js";
import { type Channel, ChannelClosed, openChannel } from "../../pipe/channel.js";
import type { OnConnection } from "../../pipe/container-streams.js";
import { PipedSandbox } from "../../pipe/piped-sandbox.js";
import { HandsLost } from "../../ports/hands.js";
import type { RoleView } from "../../ports/sandbox.js";
import type { Receipt } from "../../ports/work.js";
import type { Engine } from "../engine/engine.js";
import { EngineDemux } from "../engine/engine-demux.js";
import { reasonOf, refusalOf, statusOf } from "../engine/engine-errors.js";
import { withinTime } from "../engine/within-time.js";
import { containerSpec, type SpecContext } from "./container-spec.js";
import { type Isolation, proven } from "./proof.js";

const helloWithinMs = 20_000;
const lateWithinMs = 10_000;
const heartbeatsPerLease = 12;
const seenGonePollMs = 15;
/** the answer to a removal may have been lost, so it is repeated after this many polls */
const pollsPerRemoval = 200;
/** a listed container that the engine denies this many times in a row is a mere entry of its list */
const timesUnknown = 5;
const attempts = 3;

/**
 * A running container of ours and the channel to its resident. A `Container` exists only once it has proved its
 * isolation. Disposing kills it and waits until it is seen gone.
 */
export class Container extends PipedSandbox {
  private shown: Receipt | null = null;

  private constructor(
    role: RoleView["role"],
    readonly id: string,
    private readonly engine: Engine,
    channel: Channel,
  ) {
    super(role, channel);
  }

  static async start(engine: Engine, view: RoleView, options: StartOptions): Promise<Container> {
    for (let attempt = 1; ; attempt += 1) {
      const slept = asleepMs();
      try {
        return await Container.startOnce(engine, view, options);
      } catch (error) {
        if (isGone(error) && sleptALease(slept, options.context.leaseSeconds * 1000)) continue;
        const refusal = refusalOf(error);
        if (refusal === 409 && options.name !== undefined) throw new NameTaken();
        // a container that fails to start is removed, and a repeated start gets 404; a random name may be in use
        if (attempt >= attempts || (refusal !== 404 && refusal !== 409)) throw error;
      }
    }
  }

  private static async startOnce(engine: Engine, view: RoleView, options: StartOptions): Promise<Container> {
    const container = await Container.open(engine, view, options);
    try {
      const { context, isolation, openTo, signal } = options;
      container.shown = await proven(container, { ...isolation, view, context, openTo }, signal);
      return container;
    } catch (error) {
      await container[Symbol.asyncDispose]();
      throw error;
    }
  }

  private static async open(engine: Engine, view: RoleView, options: StartOptions): Promise<Container> {
    const { signal, context, onConnection } = options;
    const spec = containerSpec(view, context);
    // a new name for each request: a container whose creation was not answered may hold the name before
    const named = () => ({ ...spec, name: options.name ?? ownName(view, context) });
    const made = await create(named, { engine, role: view.role, signal });
    try {
      const leaseMs = context.leaseSeconds * 1000;
      const channel = await openInside(made, { engine, role: view.role, signal, onConnection, leaseMs });
      return new Container(view.role, made.id, engine, channel);
    } catch (error) {
      await removeAndSeeGone(engine, made.id);
      throw error;
    }
  }

  /** The proof of isolation from its start. */
  get receipt(): Receipt {
    if (this.shown === null) throw new Error(`the ${this.role} container has not proved its isolation`);
    return this.shown;
  }

  /** Best effort: the name is free again at the latest when the container is gone. */
  async rename(name: string): Promise<void> {
    await this.engine.docker
      .getContainer(this.id)
      .rename({ name })
      .catch(() => undefined);
  }

  protected remove(): Promise<void> {
    return removeAndSeeGone(this.engine, this.id);
  }
}

/** Tells whether the container ended before it was up and has been removed. */
function isGone(error: unknown): boolean {
  if (error instanceof HandsLost) return true;
  return error instanceof TilthError && (error.cause instanceof ChannelClosed || refusalOf(error) === 404);
}

export interface StartOptions {
  readonly context: SpecContext;
  readonly isolation: Isolation;
  /** hosts that its programs may reach, for the receipt; none by default */
  readonly openTo?: readonly string[];
  /** a name of its own by default; a name in use throws NameTaken */
  readonly name?: string;
  /** handles connections of its programs */
  readonly onConnection?: OnConnection;
  readonly signal: AbortSignal;
}

export class NameTaken extends Error {}

export function ownName({ role }: RoleView, { session }: SpecContext): string {
  return `tilth-${session}-${role}-${randomBytes(4).toString("hex")}`;
}

interface OnConnections {
  readonly onConnection: OnConnection | undefined;
  readonly leaseMs: number;
}

interface Opening {
  readonly engine: Engine;
  readonly role: string;
  readonly signal: AbortSignal;
}

/** An engine finishes what it was asked, so a container that nobody waits for any more is removed once it is there. */
async function create(spec: () => ContainerCreateOptions, { engine, role, signal }: Opening): Promise<EngineContainer> {
  const asked: Promise<EngineContainer>[] = [];
  try {
    return await engine.must(`create the ${role} container`, signal, (docker) => {
      const made = docker.createContainer(inBody(spec()));
      asked.push(made);
      return made;
    });
  } catch (error) {
    const patience = { ms: lateWithinMs, signal: new AbortController().signal };
    const late = await Promise.allSettled(asked.map((made) => withinTime(made, patience)));
    for (const made of late) if (made.status === "fulfilled") await removeAndSeeGone(engine, made.value.id);
    throw error;
  }
}

/** By default the client repeats the whole body in the address, which is too long for some proxies of a socket. */
function inBody({ name, ...body }: ContainerCreateOptions): ContainerCreateOptions {
  const split = { _query: { name }, _body: body };
  return split as ContainerCreateOptions;
}

/** Attaches before the start: an engine that is asked later may not show earlier output. */
async function openInside(made: EngineContainer, opening: Opening & OnConnections): Promise<Channel> {
  const { engine, role, signal, onConnection, leaseMs } = opening;
  const attached = await engine.must(`attach to the ${role} container`, signal, () =>
    made.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true }),
  );
  const stream = attached as Duplex;
  const refusals: unknown[] = [];
  try {
    await engine.must(`start the ${role} container`, signal, () => started(made, refusals));
    const within = { signal, timeoutMs: helloWithinMs, heartbeatMs: leaseMs / heartbeatsPerLease, leaseMs };
    return await openChannel(stream, { ...within, outputs: new EngineDemux(), onConnection });
  } catch (error) {
    stream.destroy();
    if (error instanceof TilthError && refusalOf(error) === 404) throw toldFirst(error, refusals);
    if (!(error instanceof ChannelClosed)) throw error;
    throw new TilthError(
      "infra",
      `the ${role} container did not come up: ${error.message}`,
      "tilth image verify",
      error,
    );
  }
}

/** A start repeated after an outage gets 304 if the first one worked. */
async function started(made: EngineContainer, refusals: unknown[]): Promise<void> {
  await made.start().catch((error: unknown) => {
    if (statusOf(error) === 304) return;
    refusals.push(error);
    throw error;
  });
}

/** The last refusal only says that the container is gone; the first one says what was wrong. */
function toldFirst(vanished: TilthError, [first]: readonly unknown[]): TilthError {
  const { code, hint, cause } = vanished;
  return new TilthError(code, `the engine could not start a container: ${oneLine(reasonOf(first), 300)}`, hint, cause);
}

/**
 * Not bound to a run's signal: on return the container is dead, interrupted or not. An engine that was killed may come
 * back with an entry in its list that stands for no container, and that nobody can remove.
 */
export async function removeAndSeeGone(engine: Engine, id: string, pollMs = seenGonePollMs): Promise<void> {
  const { signal } = new AbortController();
  const isKnown = () => engine.must("remove a container", signal, (docker) => removed(docker.getContainer(id)));
  const isListed = () => engine.call("look for a container", signal, (docker) => listed(docker, id));
  let unknown = (await isKnown()) ? 0 : 1;
  for (let polls = 1; unknown < timesUnknown && (await isListed()); polls += 1) {
    await pause(pollMs);
    if (polls % pollsPerRemoval === 0) unknown = (await isKnown()) ? 0 : unknown + 1;
  }
}

/** Returns false when the engine knows no container of that id. */
async function removed(container: EngineContainer): Promise<boolean> {
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    const status = statusOf(error);
    if (status === 404) return false;
    // its removal is already under way
    if (status !== 409) throw error;
  }
  return true;
}

/** Asks for the list: an engine that is asked for the container itself may deny it while it still lists it. */
async function listed(docker: Docker, id: string): Promise<boolean> {
  try {
    return (await docker.listContainers({ all: true, filters: { id: [id] } })).length > 0;
  } catch (error) {
    const status = statusOf(error);
    if (status === null || status >= 500) throw error;
    return true;
  }
}
