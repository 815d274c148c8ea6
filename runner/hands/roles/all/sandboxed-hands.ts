import type { Duplex } from "node:stream";
import type { Checks } from "../../ports/checks/checks.js";
import type { Clerk } from "../../ports/clerk.js";
import { checkPython } from "../../ports/container-paths.js";
import type { BuiltEnvironment } from "../../ports/environment.js";
import type { Hands, HandsImage, HandsLost, TellReceipt } from "../../ports/hands.js";
import type { SessionOfHands } from "../../ports/provider.js";
import type { RoleView, Sandbox } from "../../ports/sandbox.js";
import type { Work } from "../../ports/work.js";
import { EnvironmentTrust } from "../build/environment-trust.js";
import { ContainerChecks } from "../check/checks.js";
import type { StartAhead } from "../check/containers/ahead.js";
import { ChecksInForce } from "../check/in-force.js";
import { ContainerClerk } from "../clerk/container-clerk.js";
import { EnduringClerk } from "../clerk/enduring-clerk.js";
import { ClerkShell } from "../clerk/shell/clerk-shell.js";
import { type ClerkLimits, clerkLimits } from "../clerk/shell/limits.js";
import type { SandboxStarts } from "../starts.js";
import { ContainerWork } from "../work/work.js";
import { workEnv } from "../work/work-env.js";
import { Receipts } from "./receipts.js";

/** All that hands need of their provider. */
export interface SessionSandboxes {
  readonly starts: Pick<SandboxStarts, "start" | "end">;
  /** Starts a check before it is needed, or returns null when the most that may wait are waiting. */
  readonly startAhead?: (view: RoleView, signal: AbortSignal) => Promise<WaitingSandbox | null>;
  /** the environment that the image declares for every command */
  readonly imageEnv: Readonly<Record<string, string>>;
  /** the most that the worktree may take */
  readonly diskBytes: number;
  /** the command by which a person removes an environment */
  readonly removalOf: (environment: string) => string;
  /** Ends every sandbox of the session that this process has made, and sees it gone. */
  readonly sweep: () => Promise<unknown>;
  /** Removes the session's repository, once no sandbox is left. */
  readonly forget: () => Promise<unknown>;
}

export interface WaitingSandbox {
  readonly sandbox: Sandbox;
  /** marks that it waits no longer */
  taken(): void;
}

export interface HandsExtras {
  readonly clerkLimits?: ClerkLimits;
}

/** The hands of one session, made of sandboxes of all roles. */
export class SandboxedHands implements Hands {
  readonly image: HandsImage;
  readonly clerk: Clerk;
  readonly work: Work;
  readonly checks: Checks;
  readonly #inForce: { readonly work: ContainerWork; readonly checks: ChecksInForce };
  readonly #trust: EnvironmentTrust;
  readonly #receipts = new Receipts();
  readonly #parts: readonly AsyncDisposable[];
  readonly #lostAsleep: (loss: HandsLost) => void;

  constructor(
    private readonly session: Omit<SessionOfHands, "session" | "cleared" | "leaseSeconds" | "signal">,
    private readonly sandboxes: SessionSandboxes,
    extras: HandsExtras = {},
  ) {
    const { image, worktree, lostAsleep = () => undefined } = session;
    const { diskBytes } = sandboxes;
    this.image = image;
    this.#lostAsleep = lostAsleep;
    this.#trust = new EnvironmentTrust(sandboxes.removalOf);
    const clerk = (signal: AbortSignal) => sandboxes.starts.start({ role: "clerk", worktree }, signal);
    const shell = new ClerkShell((signal) => this.#receipts.noted(clerk(signal)), lostAsleep);
    const work = new ContainerWork({
      start: (environment, signal) => this.#startWork(environment, signal),
      env: (environment) => workEnv(sandboxes.imageEnv, environment !== null),
      diskBytes,
      wayOut: session.wayOut ?? null,
    });
    const checks = new ChecksInForce((environment) => this.#checksIn(environment));
    this.#inForce = { work, checks };
    this.clerk = new EnduringClerk(new ContainerClerk(shell, extras.clerkLimits ?? clerkLimits(diskBytes)));
    this.work = work;
    this.checks = checks;
    this.#parts = [checks, work, shell];
  }

  useEnvironment(environment: BuiltEnvironment | null): void {
    this.#inForce.work.use(environment);
    this.checkIn(environment);
  }

  checkIn(environment: BuiltEnvironment | null): void {
    this.#inForce.checks.use(environment);
  }

  tellReceipts(tell: TellReceipt | null): void {
    this.#receipts.tellTo(tell);
  }

  async discard(): Promise<void> {
    await this[Symbol.asyncDispose]();
    await this.sandboxes.forget();
  }

  /** Stops all starts before the sweep begins, so that it misses nothing. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandboxes.starts.end();
    const ended = await Promise.allSettled(this.#parts.map((part) => part[Symbol.asyncDispose]()));
    await this.sandboxes.sweep();
    const failed = ended.find((each) => each.status === "rejected");
    if (failed) throw failed.reason;
  }

  #checksIn(environment: BuiltEnvironment | null): ContainerChecks {
    const view = { role: "check", environment: environment?.id ?? null } as const;
    const start = async (signal: AbortSignal) =>
      this.#trust.shown(environment, await this.sandboxes.starts.start(view, signal), signal);
    const env = workEnv(this.sandboxes.imageEnv, environment !== null);
    const startAhead = this.#aheadIn(environment, view);
    return new ContainerChecks((signal) => this.#receipts.noted(start(signal)), env, {
      python: checkPython(environment !== null),
      lostAsleep: this.#lostAsleep,
      ...(startAhead === null ? {} : { startAhead }),
    });
  }

  #aheadIn(environment: BuiltEnvironment | null, view: RoleView): StartAhead | null {
    const { startAhead } = this.sandboxes;
    if (startAhead === undefined) return null;
    return async (signal) => {
      const waiting = await startAhead(view, signal);
      if (waiting === null) return null;
      const container = await this.#trust.shown(environment, waiting.sandbox, signal);
      const taken = (): void => {
        waiting.taken();
        this.#receipts.note(container);
      };
      return { container, taken };
    };
  }

  async #startWork(environment: BuiltEnvironment | null, signal: AbortSignal): Promise<Sandbox> {
    const { worktree, wayOut = null } = this.session;
    const view = { role: "work", worktree, environment: environment?.id ?? null } as const;
    const onConnection = (connection: Duplex) => wayOut?.accept(connection);
    const open = wayOut === null ? {} : { onConnection, openTo: wayOut.openTo };
    return this.#trust.shown(environment, await this.sandboxes.starts.start(view, signal, open), signal);
  }
}
