import type { ModelPhase } from "../session/events.js";
import { addUsage, type CallUse, countedTokens, noUsage, type Usage } from "../session/usage.js";

/** Adds up what models use: for the whole session, and by phase for this process. */
export class Spend {
  readonly #whole: Usage;
  readonly #phases = new Map<ModelPhase, Usage>();

  /** `before` is what the session's log comes to so far. */
  constructor(before: Readonly<Usage> = noUsage()) {
    this.#whole = { ...before };
  }

  add(phase: ModelPhase, call: CallUse): void {
    addUsage(this.#whole, call);
    const own = this.of(phase);
    addUsage(own, call);
    this.#phases.set(phase, own);
  }

  /** As TILTH_MAX_TOKENS counts them. */
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
