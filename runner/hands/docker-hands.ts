import { dirname } from "node:path";
import { Interrupted } from "../errors.js";
import type { Settings } from "../settings.js";
import type { HostPath, SessionId } from "../support/ids.js";
import { ContainerChecks } from "./check.js";
import { type StartAhead, startsAhead } from "./checks-ahead.js";
import { ClerkShell } from "./clerk/clerk-shell.js";
import { DockerClerk } from "./clerk/docker-clerk.js";
import { clerkLimits } from "./clerk/limits.js";
import { constantFiles } from "./constant-files.js";
import { Container, ownName } from "./container.js";
import type { RoleView, SpecContext } from "./container-spec.js";
import { DockerWork } from "./docker-work.js";
import type { Engine } from "./engine.js";
import type { Checks, Clerk, Hands, HandsImage, Receipt, Work } from "./hands.js";
import { containerIdentity } from "./identity.js";
import type { DockerImage } from "./image-find.js";
import { labels, repoVolumeOf } from "./labels.js";
import { ownerOf } from "./owner.js";
import { removeOwnContainers, removeSessionVolume } from "./reap.js";
import { receiptItems, selfTestFacts } from "./self-test.js";
import { workEnv } from "./work-env.js";

export interface HandsOptions {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly session: SessionId;
  readonly worktree: HostPath;
  readonly image: DockerImage;
  /** settles when nothing of an earlier process is left of the session */
  readonly cleared?: Promise<unknown>;
  readonly signal: AbortSignal;
}

type StartRole = (signal: AbortSignal) => Promise<Container>;

const leaseSeconds = 60;
const selfTestMs = 30_000;

/** Hands on a Docker engine. No container is started before it is needed; the repository volume is made here. */
export function openHands(options: HandsOptions): Hands {
  const { engine, settings, session, image } = options;
  const identity = containerIdentity();
  return new DockerHands(options, {
    session,
    owner: JSON.stringify(ownerOf(settings.home)),
    imageId: image.id,
    identity,
    sandbox: settings.sandbox,
    engineCpus: engine.facts.cpus,
    constants: constantFiles(settings.home, identity),
    leaseSeconds,
  });
}

class DockerHands implements Hands {
  readonly image: HandsImage;
  readonly clerk: Clerk;
  readonly work: Work;
  readonly checks: Checks;
  private readonly parts: readonly AsyncDisposable[];
  private readonly ending = new AbortController();
  private readonly starting = new Set<Promise<unknown>>();
  /** what has to be so before any container starts */
  private readonly prepared: Promise<unknown>;

  constructor(
    private readonly options: HandsOptions,
    private readonly context: SpecContext,
  ) {
    const { settings, worktree, image, cleared } = options;
    const env = workEnv(image.env);
    this.image = image;
    this.prepared = this.awaited(Promise.all([this.makeVolume(), cleared]));
    const shell = new ClerkShell(this.starter({ role: "clerk", worktree }));
    const work = new DockerWork((signal) => this.startWork(signal), env);
    const checks = new ContainerChecks(this.starter({ role: "check" }), env, this.checksAhead());
    this.clerk = new DockerClerk(shell, clerkLimits(settings.sandbox.diskBytes));
    this.work = work;
    this.checks = checks;
    this.parts = [checks, work, shell];
  }

  async discard(): Promise<void> {
    await this[Symbol.asyncDispose]();
    await removeSessionVolume(this.options.engine, this.ofSession(), new AbortController().signal);
  }

  /** What is still being made, for whomever, is made no further and waited for, so that the sweep misses nothing. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.ending.abort();
    await Promise.all(this.starting);
    const ended = await Promise.allSettled(this.parts.map((part) => part[Symbol.asyncDispose]()));
    await removeOwnContainers(this.options.engine, this.ofSession(), new AbortController().signal);
    const failed = ended.find((each) => each.status === "rejected");
    if (failed) throw failed.reason;
  }

  private ofSession() {
    return { session: this.options.session, home: this.options.settings.home };
  }

  private checksAhead(): StartAhead {
    const view = { role: "check" } as const;
    return startsAhead({
      cores: this.options.engine.facts.cpus,
      start: (name, signal) => this.starter(view, name)(signal),
      ownName: () => ownName(view, this.context),
    });
  }

  private starter(view: RoleView, name?: string): StartRole {
    return async (signal) => {
      await this.prepared;
      if (this.ending.signal.aborted) throw new Interrupted();
      const either = AbortSignal.any([signal, this.ending.signal]);
      const start = { context: this.context, signal: either, ...(name === undefined ? {} : { name }) };
      return this.awaited(Container.start(this.options.engine, view, start));
    };
  }

  /** Whatever comes of it: disposal waits for its end. */
  private awaited<T>(work: Promise<T>): Promise<T> {
    const settled = work.catch(() => undefined);
    this.starting.add(settled);
    void settled.then(() => this.starting.delete(settled));
    return work;
  }

  private makeVolume(): Promise<unknown> {
    const { engine, session, signal } = this.options;
    const Labels = { [labels.session]: session, [labels.owner]: this.context.owner };
    return engine.must("make the repository volume", signal, (docker) =>
      docker.createVolume({ Name: repoVolumeOf(session), Labels }),
    );
  }

  private async startWork(signal: AbortSignal): Promise<{ container: Container; receipt: Receipt }> {
    const view = { role: "work", worktree: this.options.worktree } as const;
    const container = await this.starter(view)(signal);
    try {
      const session = dirname(this.options.worktree);
      const probe = [session, dirname(session), this.options.settings.home];
      const facts = await container.call("self_test", { probe }, { signal, timeoutMs: selfTestMs });
      const expected = { view, context: this.context, imageEnv: Object.keys(this.options.image.env) };
      const items = receiptItems(selfTestFacts.parse(facts), expected);
      const leftOut = this.options.engine.facts.discarded;
      return { container, receipt: { passed: items.every(({ passed }) => passed), items, leftOut } };
    } catch (error) {
      await container[Symbol.asyncDispose]();
      throw error;
    }
  }
}
