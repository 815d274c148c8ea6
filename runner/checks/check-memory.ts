import { createHash } from "node:crypto";
import type { CheckRequest } from "../hands/ports/checks/checks.js";
import type { Judgement } from "./judgement.js";

/** These say nothing certain about the tree, so the same tree may try again. */
const unsettled: ReadonlySet<string | null> = new Set(["timeout", "check_died"]);

/** A tree that failed is not run again: for the same question, its report stands. */
export class CheckMemory {
  readonly #failed = new Map<string, Judgement>();

  recall(request: CheckRequest): Judgement | null {
    return this.#failed.get(keyOf(request)) ?? null;
  }

  keep(request: CheckRequest, judgement: Judgement): void {
    if (judgement.passed || judgement.checks.some(({ reason }) => unsettled.has(reason))) return;
    this.#failed.set(keyOf(request), judgement);
  }
}

function keyOf({ timeoutMs: _, ...request }: CheckRequest): string {
  return createHash("sha256").update(JSON.stringify(request)).digest("hex");
}
