import type { TilthEvent } from "../../../session/log/events.js";
import type { Checkpoint } from "../../../session/state/checkpoint.js";
import type { CountedCaps } from "../../../session/summary/summary.js";
import { SummaryRollup } from "../../../session/summary/summary.js";
import type { Summary } from "../../../session/summary/summary-schema.js";
import { countedTokens } from "../../../session/summary/usage.js";
import type { Findings } from "../log/findings.js";

/** Computes the summary again while the log is read. */
export class Sums {
  readonly #rollup = new SummaryRollup();
  readonly #recorded: Summary | null;
  #then: Summary | null = null;

  constructor(recorded: Summary | null) {
    this.#recorded = recorded;
  }

  add(event: TilthEvent, line: number): void {
    this.#rollup.add(event);
    if (line === this.#recorded?.events) this.#then = this.#rollup.summary(this.#caps());
  }

  /**
   * A run that came to its end has summed up the whole log. A run that was cut short summed up a part of it, and the
   * recorded summary says how much.
   */
  compare(checkpoint: Checkpoint | null, isClosed: boolean, findings: Findings): void {
    const whole = this.#rollup.summary(this.#caps());
    const expected = isClosed ? whole : (this.#then ?? whole);
    if (this.#recorded !== null) holdSummary(expected, this.#recorded, findings);
    if (checkpoint !== null)
      findings.hold("checkpoint", "checkpoint.json", {
        expected: { tokens: countedTokens(expected.usage), cost: expected.usage.cost },
        seen: { tokens: checkpoint.tokens, cost: checkpoint.cost },
      });
    findings.compared.push("summary.json and the checkpoint's sums, rolled up again from the log");
  }

  /** The limits are recorded only in the summary itself, so they are taken from there; their use is computed again. */
  #caps(): CountedCaps | null {
    const caps = this.#recorded?.caps;
    if (!caps) return null;
    return {
      maxTokens: caps.tokens.limit,
      maxCostUsd: caps.cost_usd?.limit ?? null,
      maxWallClockMinutes: caps.wall_clock_minutes.limit,
      maxIterationsPerTask: caps.iterations_per_task?.limit ?? null,
      maxEvaluatorCallsPerTask: caps.evaluator_calls_per_task?.limit ?? null,
    };
  }
}

function holdSummary(expected: Summary, seen: Summary, findings: Findings): void {
  const untold = newerFields.filter(
    ([name]) => seen.receipts.length > 0 && seen.receipts.every((receipt) => receipt[name] === undefined),
  );
  const receipts = expected.receipts.map((receipt) => without(receipt, untold));
  for (const [, what] of untold)
    findings.remarks.push(`the receipts in summary.json do not tell ${what}, as older versions wrote them`);
  findings.hold("summary", "summary.json", { expected: { ...expected, receipts }, seen });
}

type Receipt = Summary["receipts"][number];
type NewerField = readonly [name: "by_role" | "worker_model", what: string];

const newerFields: readonly NewerField[] = [
  ["by_role", "what each role used"],
  ["worker_model", "the worker's model"],
];

function without(receipt: Receipt, fields: readonly NewerField[]): Receipt {
  const told = { ...receipt };
  for (const [name] of fields) delete told[name];
  return told;
}
