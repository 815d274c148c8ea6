import { next } from "../../../runner/crew/kernel/automatic.js";
import type { Intent } from "../../../runner/crew/kernel/intents.js";
import { apply, type Request, staged } from "../../../runner/crew/kernel/kernel.js";
import type { Refusal, Step } from "../../../runner/crew/kernel/move.js";
import type { CrewRules, CrewState, Item, PlannedItem } from "../../../runner/crew/kernel/state.js";
import { transitions } from "../../../runner/crew/kernel/transitions.js";
import type { Actor, Role } from "../../../runner/crew/kernel/words.js";

export const rules: CrewRules = {
  attempts: 3,
  maxIterations: 200,
  retrospective: false,
  playtest: false,
  awaitingMinutes: 10,
  pmAlways: false,
};

export function planned(id: string, more: Partial<PlannedItem> = {}): PlannedItem {
  return {
    ...{ id, title: `Title of ${id}`, description: "", category: "functional", priority: "normal", agent: null },
    ...{ acceptanceCriteria: ["it works"], verificationSteps: ["look at it"], dependencies: [], files: [] },
    ...more,
  };
}

/** A crew whose kernel does by itself what it can, after each intent. */
export class CrewAtWork {
  state: CrewState;
  readonly applied: {
    readonly before: CrewState;
    readonly asked: Request;
    readonly outcome: Step;
    readonly now: string;
  }[] = [];
  readonly refusals: Refusal[] = [];
  #minutes = 0;

  constructor(
    items: readonly PlannedItem[],
    more: Partial<CrewRules> = {},
    backlog: readonly PlannedItem[] = [],
    readonly table = transitions,
  ) {
    this.state = staged(items, backlog, { ...rules, ...more });
    this.settle();
  }

  get now(): string {
    return new Date(Date.UTC(2026, 0, 1, 0, this.#minutes)).toISOString();
  }

  pass(minutes: number): void {
    this.#minutes += minutes;
    this.settle();
  }

  /** Returns the rule that refused it, or null. */
  ask(actor: Actor, intent: Intent): string | null {
    const rule = this.askAlone(actor, intent);
    if (rule === null) this.settle();
    return rule;
  }

  /** As if the process were killed before the kernel does anything by itself. */
  askAlone(actor: Actor, intent: Intent): string | null {
    const refusal = this.#apply({ intent, actor, auto: false });
    if (refusal !== null) this.refusals.push(refusal);
    return refusal?.rule ?? null;
  }

  settle(): void {
    for (
      let asked = next(this.state, this.now, this.table);
      asked !== null;
      asked = next(this.state, this.now, this.table)
    ) {
      const refusal = this.#apply(asked);
      if (refusal !== null) throw new Error(`the kernel refuses itself: ${JSON.stringify([asked, refusal])}`);
    }
  }

  #apply(asked: Request): Refusal | null {
    const before = this.state;
    const outcome = apply(before, asked, this.now, this.table);
    if ("refused" in outcome) return outcome.refused;
    this.state = outcome.state;
    this.applied.push({ before, asked, outcome, now: this.now });
    return null;
  }

  item(id: string): Item {
    const found = this.state.items.find((item) => item.id === id);
    if (found === undefined) throw new Error(`no item ${id}`);
    return found;
  }

  wake(role: Role, item: string | null = null): string | null {
    const messages = this.state.queues[role].map(({ id }) => id);
    return this.ask("supervisor", { intent: "turn_started", role, messages, item });
  }

  rest(role: Role, exit: "idle" | "awaiting_pm" | "awaiting_gd" | "crashed" | "infra" = "idle"): string | null {
    return this.ask("supervisor", { intent: "turn_ended", role, exit, reason: "" });
  }

  /** A maker's turn from its beginning to a candidate that is made. */
  make(role: "developer" | "techartist" | "gamedesigner", id: string, tree = `tree of ${id}`): void {
    this.wake(role);
    const coverage = this.item(id).acceptanceCriteria.map((criterion) => ({ criterion, addressed_by: "code" }));
    const said = { summary: "done", ac_coverage: coverage, work_arounds: [], uncertainties: [] };
    this.ask(role, { intent: "complete_task", ...said });
    this.ask("supervisor", { intent: "candidate_made", item: id, tree, commit: `commit of ${tree}` });
    this.rest(role);
  }

  /** QA's turn over an item. */
  judge(id: string, result: "PASSED" | "FAILED"): string | null {
    this.wake("qa", id);
    const { acceptanceCriteria, verificationSteps, candidate } = this.item(id);
    const answer = { result: result === "PASSED" ? ("pass" as const) : ("fail" as const), evidence: "seen" };
    const refusal = this.ask("qa", {
      intent: "submit_validation",
      result,
      tree: candidate?.tree ?? "",
      criteria: acceptanceCriteria.map((criterion) => ({ criterion, ...answer })),
      steps: verificationSteps.map((step) => ({ step, ...answer })),
      bugs: result === "PASSED" ? [] : [{ severity: "high", issue: "it does not work" }],
    });
    if (result === "PASSED" && refusal === null)
      this.ask("qa", { intent: "committed", item: id, tree: candidate?.tree ?? "", commit: "c" });
    this.rest("qa");
    return refusal;
  }

  refine(id: string): string | null {
    this.wake("pm");
    const refusal = this.ask("pm", { intent: "advance", item: id, to: "task_ready", note: "as it is" });
    this.rest("pm");
    return refusal;
  }
}
