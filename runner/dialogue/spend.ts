import type { ModelReply } from "../model/model-client.js";
import type { ModelPhase } from "../session/events.js";

export interface PhaseSpend {
  readonly calls: number;
  readonly promptTokens: number;
  readonly evalTokens: number;
  /** null until the provider has reported one */
  readonly cost: number | null;
}

const nothing: PhaseSpend = { calls: 0, promptTokens: 0, evalTokens: 0, cost: null };

/** What the models have used: the whole session's totals, and by phase what this process asked. */
export class Spend {
  #tokens: number;
  #cost: number | null;
  readonly #phases = new Map<ModelPhase, PhaseSpend>();

  constructor(before: { readonly tokens: number; readonly cost: number | null }) {
    this.#tokens = before.tokens;
    this.#cost = before.cost;
  }

  add(phase: ModelPhase, { usage, cost }: Pick<ModelReply, "usage" | "cost">): void {
    this.#tokens += usage.promptTokens + usage.evalTokens;
    this.#cost = sum(this.#cost, cost);
    const before = this.of(phase);
    this.#phases.set(phase, {
      calls: before.calls + 1,
      promptTokens: before.promptTokens + usage.promptTokens,
      evalTokens: before.evalTokens + usage.evalTokens,
      cost: sum(before.cost, cost),
    });
  }

  get tokens(): number {
    return this.#tokens;
  }

  get cost(): number | null {
    return this.#cost;
  }

  of(phase: ModelPhase): PhaseSpend {
    return this.#phases.get(phase) ?? nothing;
  }
}

function sum(before: number | null, more: number | null): number | null {
  return more === null ? before : (before ?? 0) + more;
}
