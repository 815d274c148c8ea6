import { Interrupted } from "../../runner/base/errors.js";
import type { SeedAnswer, SeedBundle, SeedSink } from "../../runner/interview/seed-sink.js";
import { checkSeed } from "../../runner/seed/sink.js";

/** Judges a seed by its words alone, as the real sink does before it tries the tests; refusals come first. */
export class FakeSeedSink implements SeedSink {
  readonly offered: SeedBundle[] = [];
  readonly taken: SeedBundle[] = [];
  readonly #refusals: string[];

  constructor(refusals: readonly string[] = []) {
    this.#refusals = [...refusals];
  }

  async writeSeed(bundle: SeedBundle, signal: AbortSignal): Promise<SeedAnswer> {
    if (signal.aborted) throw new Interrupted();
    this.offered.push(bundle);
    const refusal = this.#refusals.shift();
    if (refusal !== undefined) return { ok: false, problem: refusal };
    const { prdEntries: prd, testFiles, notes: meta } = bundle;
    const checked = checkSeed({ prd, testFiles, meta, highestInBase: 0, allowGaps: false });
    if (!checked.ok) return checked;
    this.taken.push(bundle);
    return { ok: true };
  }
}
