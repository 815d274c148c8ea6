import Docker from "dockerode";
import { type Clock, systemClock } from "../../../base/clock.js";
import { Interrupted, TilthError } from "../../../base/errors.js";
import type { Settings } from "../../../settings/settings.js";
import { type EngineAddress, engineAddress, showAddress } from "./engine-address.js";
import { EngineNonsense, isOutage, reasonOf, statusOf } from "./engine-errors.js";
import { type EngineFacts, readEngineFacts, refuseUnusable } from "./engine-facts.js";
import { withinTime } from "./within-time.js";

const usuallyWithinMs = 60_000;
const patienceMs = 120_000;

/** The container engine, reached once at the start; a later outage is waited out for two minutes. */
export class Engine {
  private constructor(
    readonly docker: Docker,
    readonly facts: EngineFacts,
    private readonly address: EngineAddress,
    private readonly clock: Clock,
    private readonly answerWithinMs: number,
  ) {}

  /** Fails with TilthError `usage` when there is no engine, or its containers could not write the worktree. */
  static async connect(
    settings: Settings,
    signal: AbortSignal,
    clock: Clock = systemClock,
    answerWithinMs = usuallyWithinMs,
  ): Promise<Engine> {
    const address = engineAddress(settings);
    const docker = clientFor(address);
    const facts = await readEngineFacts(docker, signal).catch((error: unknown) => {
      if (signal.aborted) throw new Interrupted();
      throw unreachable(address, error);
    });
    refuseUnusable(facts, settings.sandbox.runtime);
    return new Engine(docker, facts, address, clock, answerWithinMs);
  }

  /**
   * Returns the result of `ask`. An outage is asked again for two minutes, then TilthError `infra`; a refusal of the
   * engine (its 4xx) reaches the caller as it is.
   */
  async call<T>(doing: string, signal: AbortSignal, ask: (docker: Docker) => Promise<T>): Promise<T> {
    const deadline = this.clock.monotonicMs() + patienceMs;
    for (let wait = 250; ; wait = Math.min(wait * 2, 5_000)) {
      try {
        return await withinTime(ask(this.docker), { ms: this.answerWithinMs, signal });
      } catch (error) {
        if (signal.aborted) throw new Interrupted();
        if (!isOutage(error)) throw error;
        if (this.clock.monotonicMs() + wait > deadline) throw this.gaveUp(doing, error);
        await this.clock.sleep(wait, signal);
      }
    }
  }

  /** Like `call`, but a refusal is TilthError `infra` too: for requests that no sound engine refuses. */
  async must<T>(doing: string, signal: AbortSignal, ask: (docker: Docker) => Promise<T>): Promise<T> {
    try {
      return await this.call(doing, signal, ask);
    } catch (error) {
      if (statusOf(error) === null) throw error;
      throw new TilthError(
        "infra",
        `the engine refused to ${doing}: ${reasonOf(error)}`,
        "tilth doctor shows what the engine lacks",
        error,
      );
    }
  }

  private gaveUp(doing: string, cause: unknown): TilthError {
    return new TilthError(
      "infra",
      `the engine at ${showAddress(this.address)} could not ${doing} for two minutes: ${reasonOf(cause)}`,
      "start the engine again (sudo systemctl start docker), then tilth resume",
      cause,
    );
  }
}

function clientFor(address: EngineAddress): Docker {
  // both halves are set, because the client would fill a missing one from DOCKER_HOST
  const docker =
    address.kind === "socket"
      ? new Docker({ socketPath: address.path, host: undefined, port: undefined, protocol: "http" })
      : new Docker({ socketPath: undefined, host: address.host, port: address.port, protocol: "http" });
  refuseNonsense(docker.modem);
  return docker;
}

/** The client passes on bytes that are no JSON, such as `null` or a proxy's page, as if they were the answer. */
function refuseNonsense(modem: Docker["modem"]): void {
  const dial = modem.dial.bind(modem);
  modem.dial = (options, answered) =>
    dial(options, (error, answer) => {
      // some versions of podman end an empty answer with a line feed
      const isNonsense = Buffer.isBuffer(answer) && (!isBlank(answer) || options.method === "GET");
      answered?.(isNonsense ? new EngineNonsense() : error, answer);
    });
}

function isBlank(answer: Buffer): boolean {
  return answer.length <= 2 && answer.toString("latin1").trim() === "";
}

function unreachable(address: EngineAddress, cause: unknown): TilthError {
  const forbidden = reasonOf(cause) === "EACCES";
  return new TilthError(
    "usage",
    forbidden
      ? `you may not use the container engine at ${showAddress(address)}`
      : `no container engine answers at ${showAddress(address)}: ${reasonOf(cause)}`,
    forbidden
      ? 'sudo usermod -aG docker "$USER", then log in again'
      : "install and start one (Debian: sudo apt-get install docker.io), or set DOCKER_HOST",
    cause,
  );
}
