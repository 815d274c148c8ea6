import type { Duplex } from "node:stream";
import { Interrupted } from "../../base/errors.js";
import type { RoleView, Sandbox } from "../ports/sandbox.js";

/** The way out of a sandbox; it has none unless given. */
export interface Opening {
  /** handles connections of its programs */
  readonly onConnection?: (connection: Duplex) => void;
  /** hosts that its programs may reach, for the receipt */
  readonly openTo?: readonly string[];
}

type StartOne<S, More> = (view: RoleView, signal: AbortSignal, more: Partial<More>) => Promise<S>;

/** Starts sandboxes until it is ended; then nothing is being made any more. */
export class SandboxStarts<S extends Sandbox = Sandbox, More extends Opening = Opening> {
  readonly #ending = new AbortController();
  readonly #going = new Set<Promise<unknown>>();
  readonly #prepared: Promise<unknown>;

  /** `prepared` must settle before any sandbox starts. */
  constructor(
    private readonly startOne: StartOne<S, More>,
    prepared: Promise<unknown>,
  ) {
    this.#prepared = this.#awaited(prepared);
  }

  async start(view: RoleView, signal: AbortSignal, more: Partial<More> = {}): Promise<S> {
    await this.#prepared;
    if (this.#ending.signal.aborted) throw new Interrupted();
    const either = AbortSignal.any([signal, this.#ending.signal]);
    return this.#awaited(this.startOne(view, either, more));
  }

  /** Stops everything that is still being made, and waits for that. */
  async end(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#going);
  }

  #awaited<T>(work: Promise<T>): Promise<T> {
    const settled = work.catch(() => undefined);
    this.#going.add(settled);
    void settled.then(() => this.#going.delete(settled));
    return work;
  }
}
