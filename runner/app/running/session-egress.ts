import type { Duplex } from "node:stream";
import { TilthError } from "../../base/errors.js";
import { machineTrouble } from "../../disk/disk-trouble.js";
import { type AllowedHost, allowedHost } from "../../egress/allow-list.js";
import { spelt } from "../../egress/destination.js";
import { EgressProxy, type EgressRecord, egressLimits } from "../../egress/proxy.js";
import type { WayOut } from "../../hands/ports/way-out.js";
import type { EventLog } from "../../session/log/event-log.js";
import type { TaskSpan, TilthEvent } from "../../session/log/events.js";
import type { EgressSettings } from "../../settings/settings.js";

const connectMs = 20_000;
/** refused hosts that a command's result names */
const mostRefused = 5;

/** The hosts a person has allowed a session's worker, and a record of what the worker asked for. */
export class SessionEgress implements WayOut, AsyncDisposable {
  readonly openTo: readonly string[];
  readonly #proxy: EgressProxy;
  readonly #refused = new Set<string>();
  #log: Pick<EventLog, "append" | "onEvent"> | null = null;
  #span: Partial<TaskSpan> = {};

  private constructor({ allowed, proxies }: EgressSettings) {
    this.openTo = allowed;
    const hosts = allowed.map(allowedHost).filter((host): host is AllowedHost => host !== null);
    this.#proxy = new EgressProxy({
      dial: { allowed: hosts, proxies, timeoutMs: connectMs },
      limits: egressLimits,
      report: (record) => this.#record(record),
    });
  }

  /** Null if no host is allowed, which is the default. */
  static open(settings: EgressSettings): SessionEgress | null {
    return settings.allowed.length === 0 ? null : new SessionEgress(settings);
  }

  /** From now on the outcome of each connection is logged. */
  recordIn(log: Pick<EventLog, "append" | "onEvent">): void {
    this.#log = log;
    log.onEvent((event) => {
      this.#span = spanAfter(event) ?? this.#span;
    });
  }

  accept(connection: Duplex): void {
    this.#proxy.accept(connection);
  }

  takeRefused(): readonly string[] {
    const refused = [...this.#refused];
    this.#refused.clear();
    return refused;
  }

  /** On return every connection has been logged, and nothing more is written to the log. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy[Symbol.asyncDispose]();
    this.#log = null;
  }

  #record({ host, port, refusal, bytesOut, bytesIn, ms }: EgressRecord): void {
    if (refusal === "not_allowed" && this.#refused.size < mostRefused) this.#refused.add(spelt({ host, port }));
    const allowed = refusal !== "not_allowed" && refusal !== "private_address";
    const bytes = { bytes_out: bytesOut, bytes_in: bytesIn };
    try {
      this.#log?.append("egress", { ...this.#span, host, port, allowed, refusal, ...bytes, ms });
    } catch (error) {
      // nobody waits here who could be told of a full disk; the next write to the log reports it
      if (machineTrouble(error) === null && !(error instanceof TilthError)) throw error;
    }
  }
}

/** Returns the span of the task that the worker's programs run in after this event; null if the event does not say. */
function spanAfter({ type, payload }: TilthEvent): Partial<TaskSpan> | null {
  if (type === "task_done" || type === "task_failed") return {};
  if (!("task_id" in payload) || !("span_id" in payload)) return null;
  const { task_id, trace_id, span_id, iter } = payload;
  if (task_id === undefined || trace_id === undefined || span_id === undefined || iter === undefined) return null;
  return { task_id, trace_id, span_id, iter };
}
