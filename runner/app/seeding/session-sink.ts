import type { CommitId } from "../../base/ids.js";
import type { SeedAnswer, SeedBundle, SeedSink } from "../../interview/seed-sink.js";
import type { Seed } from "../../seed/seed.js";
import { checkSeed } from "../../seed/sink.js";
import { type Proof, proveSeed } from "./prove-seed.js";
import type { SeedPlacement } from "./seed-placement.js";

export interface CommittedSeed {
  readonly seed: Seed;
  readonly commit: CommitId;
}

export interface SinkRules {
  /** the highest task number in use */
  readonly highest: number;
  /** called before an accepted seed is committed */
  readonly makeWay: (seed: Seed) => void | Promise<void>;
}

type PlacedProof = Proof & { readonly placement: SeedPlacement };

/** Puts an interview's seed into branch and worktree; the caller records it when the interview ends. */
export class SessionSink implements SeedSink {
  readonly #proof: PlacedProof;
  readonly #rules: SinkRules;
  #taken: CommittedSeed | null = null;

  constructor(proof: PlacedProof, rules: SinkRules) {
    this.#proof = proof;
    this.#rules = rules;
  }

  get taken(): CommittedSeed | null {
    return this.#taken;
  }

  async writeSeed({ prdEntries, testFiles, notes }: SeedBundle): Promise<SeedAnswer> {
    const { placement, log } = this.#proof;
    const { highest: highestInBase, makeWay } = this.#rules;
    const answer = checkSeed({ prd: prdEntries, testFiles, meta: notes, highestInBase, allowGaps: false });
    if (!answer.ok) return answer;
    const { seed } = answer;
    const proven = await proveSeed(seed, this.#proof);
    if (!proven.ok) return proven;
    await makeWay(seed);
    this.#taken = { seed, commit: await placement.commit(seed, proven.tree, log) };
    return { ok: true };
  }
}
