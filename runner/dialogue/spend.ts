import type { ModelPhase } from "../session/log/events/fields.js";
import { addUsage, type CallUse, countedTokens, noUsage, type Usage } from "../session/summary/usage.js";

/** Adds up model usage: for the whole session, and by phase for this process. */
export class Spend {
  readonly #whole: Usage;
  readonly #phases = new Map<ModelPhase, Usage>();

  /** `before` is the usage in the session's log so far. */
  constructor(before: Readonly<Usage> = noUsage()) {
    this.#whole = { ...before };
  }

  add(phase: ModelPhase, call: CallUse): void {
    addUsage(this.#whole, call);
    const own = this.of(phase);
    addUsage(own, call);
    this.#phases.set(phase, own);
  }

  /** counted the way TILTH_MAX_TOKENS counts */
  get tokens(): number {
    return countedTokens(this.#whole);
  }

  get cost(): number | null {
    return this.#whole.cost;
  }

  of(phase: ModelPhase): Usage {
    return { ...(this.#phases.get(phase) ?? noUsage()) };
  }
}
