import { dirname } from "node:path";
import type { Duplex } from "node:stream";
import type { Settings } from "../../settings/settings.js";
import type { Checks } from "../ports/checks.js";
import type { Clerk } from "../ports/clerk.js";
import { checkPython } from "../ports/container-paths.js";
import type { BuiltEnvironment } from "../ports/environment.js";
import type { Hands, HandsImage, HandsLost, TellReceipt } from "../ports/hands.js";
import type { SessionOfHands } from "../ports/provider.js";
import type { Work } from "../ports/work.js";
import { EnvironmentTrust } from "../roles/build/environment-trust.js";
import { ContainerChecks } from "../roles/check/checks.js";
import { ChecksInForce } from "../roles/check/in-force.js";
import { ContainerClerk } from "../roles/clerk/container-clerk.js";
import { EnduringClerk } from "../roles/clerk/enduring-clerk.js";
import { ClerkShell } from "../roles/clerk/shell/clerk-shell.js";
import { type ClerkLimits, clerkLimits } from "../roles/clerk/shell/limits.js";
import { ContainerWork } from "../roles/work/work.js";
import { workEnv } from "../roles/work/work-env.js";
import { startsAhead } from "./checks-ahead.js";
import { type Container, ownName } from "./container/container.js";
import type { RoleView, SpecContext } from "./container/container-spec.js";
import { labels, repoVolumeOf } from "./container/labels.js";
import type { Engine } from "./engine/engine.js";
import type { DockerImage } from "./image/image-find.js";
import { removeOwnContainers, removeSessionVolume } from "./reap.js";
import { Receipts } from "./receipts.js";
import { isolationOf, RoleStarts, specContext } from "./role-starts.js";

export interface HandsOptions extends SessionOfHands {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly image: DockerImage;
  readonly clerkLimits?: ClerkLimits;
}

type StartRole = (signal: AbortSignal) => Promise<Container>;

/** Opens hands on a Docker engine. No container is started before it is needed; the repository volume is made here. */
export function openHands(options: HandsOptions): Hands {
  return new DockerHands(options, specContext(options));
}

class DockerHands implements Hands {
  readonly image: HandsImage;
  readonly clerk: Clerk;
  readonly work: Work;
  readonly checks: Checks;
  private readonly inForce: { readonly work: ContainerWork; readonly checks: ChecksInForce };
  private readonly trust = new EnvironmentTrust((id) => `docker volume rm ${id}`);
  private readonly receipts = new Receipts();
  private readonly parts: readonly AsyncDisposable[];
  private readonly lostAsleep: (loss: HandsLost) => void;
  private readonly starts: RoleStarts;

  constructor(
    private readonly options: HandsOptions,
    private readonly context: SpecContext,
  ) {
    const { engine, settings, worktree, image, cleared, wayOut = null } = options;
    this.image = image;
    this.lostAsleep = options.lostAsleep ?? (() => undefined);
    const session = dirname(worktree);
    const made = { context, isolation: isolationOf(options, [session, dirname(session)]) };
    this.starts = new RoleStarts(engine, made, Promise.all([this.makeVolume(), cleared]));
    const clerk = this.starter({ role: "clerk", worktree });
    const shell = new ClerkShell((signal) => this.receipts.noted(clerk(signal)), this.lostAsleep);
    const work = new ContainerWork({
      start: (environment, signal) => this.startWork(environment, signal),
      env: (environment) => workEnv(image.env, environment !== null),
      diskBytes: settings.sandbox.diskBytes,
      wayOut,
    });
    const checks = new ChecksInForce((environment) => this.checksIn(environment));
    this.inForce = { work, checks };
    const limits = options.clerkLimits ?? clerkLimits(settings.sandbox.diskBytes);
    this.clerk = new EnduringClerk(new ContainerClerk(shell, limits));
    this.work = work;
    this.checks = checks;
    this.parts = [checks, work, shell];
  }

  useEnvironment(environment: BuiltEnvironment | null): void {
    this.inForce.work.use(environment);
    this.checkIn(environment);
  }

  checkIn(environment: BuiltEnvironment | null): void {
    this.inForce.checks.use(environment);
  }

  tellReceipts(tell: TellReceipt | null): void {
    this.receipts.tellTo(tell);
  }

  async discard(): Promise<void> {
    await this[Symbol.asyncDispose]();
    await removeSessionVolume(this.options.engine, this.ofSession(), new AbortController().signal);
  }

  /** Stops all starts before the sweep begins, so that it misses nothing. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.starts.end();
    const ended = await Promise.allSettled(this.parts.map((part) => part[Symbol.asyncDispose]()));
    await removeOwnContainers(this.options.engine, this.ofSession(), new AbortController().signal);
    const failed = ended.find((each) => each.status === "rejected");
    if (failed) throw failed.reason;
  }

  private ofSession() {
    return { session: this.options.session, home: this.options.settings.home };
  }

  private checksIn(environment: BuiltEnvironment | null): ContainerChecks {
    const view = { role: "check", environment: environment?.id ?? null } as const;
    const start = (name?: string) => async (signal: AbortSignal) =>
      this.trust.shown(environment, await this.starter(view, name)(signal), signal);
    const ahead = startsAhead({
      cores: this.options.engine.facts.cpus,
      start: (name, signal) => start(name)(signal),
      ownName: () => ownName(view, this.context),
      taken: (container) => this.receipts.note(container),
    });
    const env = workEnv(this.options.image.env, environment !== null);
    const atOnce = (signal: AbortSignal) => this.receipts.noted(start()(signal));
    const python = checkPython(environment !== null);
    return new ContainerChecks(atOnce, env, { startAhead: ahead, python, lostAsleep: this.lostAsleep });
  }

  private starter(view: RoleView, name?: string): StartRole {
    return (signal) => this.starts.start(view, signal, name === undefined ? {} : { name });
  }

  private makeVolume(): Promise<unknown> {
    const { engine, session, signal } = this.options;
    const Labels = { [labels.session]: session, [labels.owner]: this.context.owner };
    return engine.must("make the repository volume", signal, (docker) =>
      docker.createVolume({ Name: repoVolumeOf(session), Labels }),
    );
  }

  private async startWork(environment: BuiltEnvironment | null, signal: AbortSignal): Promise<Container> {
    const { worktree, wayOut = null } = this.options;
    const view = { role: "work", worktree, environment: environment?.id ?? null } as const;
    const onConnection = (connection: Duplex) => wayOut?.accept(connection);
    const open = wayOut === null ? {} : { onConnection, openTo: wayOut.openTo };
    return this.trust.shown(environment, await this.starts.start(view, signal, open), signal);
  }
}
