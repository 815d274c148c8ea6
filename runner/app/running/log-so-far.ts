import { SuiteSoFar } from "../../checks/suite/baseline.js";
import { PastEnvironments } from "../../environment/past-environments.js";
import { Past } from "../../reconcile/past.js";
import type { EventLog } from "../../session/log/event-log.js";
import { readEvents } from "../../session/log/event-reader.js";
import type { TilthEvent } from "../../session/log/events.js";
import { SummaryRollup } from "../../session/summary/summary.js";

/** Everything a run needs from its session's log, collected in one pass. */
export class LogSoFar {
  readonly rollup = new SummaryRollup();
  readonly past = new Past();
  readonly environments = new PastEnvironments();
  readonly suite = new SuiteSoFar();
  /** files that staged tests were seen to read, over all red checks */
  readonly opened = new Set<string>();

  static async read(path: string): Promise<LogSoFar> {
    const soFar = new LogSoFar();
    for await (const event of readEvents(path)) soFar.add(event);
    return soFar;
  }

  /** Reads the log and then keeps up with every event `log` appends. */
  static async follow(log: EventLog, path: string): Promise<LogSoFar> {
    const soFar = await LogSoFar.read(path);
    log.onEvent((event) => soFar.add(event));
    return soFar;
  }

  add(event: TilthEvent): void {
    this.rollup.add(event);
    this.past.add(event);
    this.environments.add(event);
    this.suite.add(event);
    if (event.type === "red_check") for (const path of event.payload.opened) this.opened.add(path);
  }
}
