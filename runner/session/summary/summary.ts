import type { Caps } from "../../settings/settings.js";
import { readEvents } from "../log/event-reader.js";
import type { TilthEvent } from "../log/events.js";
import { foldEvent } from "./summary-folds.js";
import type { Summary } from "./summary-schema.js";
import { Tallies, type TaskTally, usageByRole } from "./summary-tallies.js";
import { countedTokens } from "./usage.js";

/** Rolls up a session's log in one pass; `caps` adds how much of each limit is used. */
export async function summarise(eventsPath: string, caps: CountedCaps | null): Promise<Summary> {
  const rollup = new SummaryRollup();
  for await (const event of readEvents(eventsPath)) rollup.add(event);
  return rollup.summary(caps);
}

/** The caps; the limit on iterations is null for an older summary, which does not have it. */
export type CountedCaps = Omit<Caps, "maxIterationsPerTask"> & { readonly maxIterationsPerTask: number | null };

/** A summary that grows with its session: fed first by the log's reader, then by its listener. */
export class SummaryRollup {
  readonly #tallies = new Tallies();
  #events = 0;
  #firstAt: string | null = null;

  add(event: TilthEvent): void {
    foldEvent(this.#tallies, event);
    this.#events += 1;
    this.#firstAt ??= event.ts;
  }

  /** Returns a copy that later events do not change. */
  summary(caps: CountedCaps | null): Summary {
    const tallies = this.#tallies;
    const tasks = [...tallies.tasks.values()];
    return {
      v: 1,
      session: tallies.start?.session ?? null,
      source: tallies.start?.source ?? null,
      base_commit: tallies.start?.base_commit ?? null,
      events: this.#events,
      first_event_at: this.#firstAt,
      last_event_at: tallies.lastAt,
      stop: tallies.stop,
      usage: { ...tallies.usage },
      usage_by_role: usageByRole(tallies.roles),
      iterations: tasks.reduce((sum, task) => sum + task.iterations, 0),
      tools: tallies.tools.toObject(),
      hooks: Object.fromEntries([...tallies.hooks].map(([hook, outcomes]) => [hook, outcomes.toObject()])),
      checks: { ...tallies.checks, failed_by_reason: tallies.failedChecks.toObject() },
      verdicts: { ...tallies.verdicts, by_category: tallies.categories.toObject() },
      integrity_notes: [...tallies.notes.values()],
      tasks: tasks.map(taskSummary),
      receipts: [...tallies.receipts.values()],
      left_behind: tallies.leftBehind,
      egress: { ...tallies.egress, hosts: tallies.hosts.toObject() },
      ...tallies.counts,
      caps: caps === null ? null : capUse(tallies, caps),
    };
  }
}

function taskSummary({
  span: _,
  submits: __,
  roles: ___,
  workerModel: ____,
  ...task
}: TaskTally): Summary["tasks"][number] {
  return { ...task, usage: { ...task.usage } };
}

function capUse(tallies: Tallies, caps: CountedCaps): Summary["caps"] {
  const { runMs, usage, most } = tallies;
  const { maxIterationsPerTask: iterations, maxEvaluatorCallsPerTask: evaluations } = caps;
  return {
    tokens: use(countedTokens(usage), caps.maxTokens),
    cost_usd: caps.maxCostUsd === null ? null : use(usage.cost ?? 0, caps.maxCostUsd),
    wall_clock_minutes: use((runMs ?? 0) / 60_000, caps.maxWallClockMinutes),
    iterations_per_task: iterations === null ? null : use(most.iterations, iterations),
    evaluator_calls_per_task: evaluations === null ? null : use(most.evaluations, evaluations),
  };
}

function use(used: number, limit: number): NonNullable<Summary["caps"]>["tokens"] {
  const percent = limit === 0 ? 100 : Math.round((used / limit) * 1000) / 10;
  return { used: Math.round(used * 1e6) / 1e6, limit, percent };
}
