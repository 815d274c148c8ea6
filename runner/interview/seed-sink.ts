/** A seed as the interviewer hands it in; only its outer shape is checked. */
export interface SeedBundle {
  /** the content of prd.json */
  readonly prdEntries: unknown;
  /** sources by bare file name */
  readonly testFiles: ReadonlyMap<string, string>;
  /** tldr, open_questions, blockers, scope_notes */
  readonly notes: unknown;
}

export type SeedAnswer = { readonly ok: true } | { readonly ok: false; readonly problem: string };

/**
 * The destination of an interview's seed. It takes all of the seed or nothing, and then says the first thing that is
 * wrong.
 */
export interface SeedSink {
  writeSeed(bundle: SeedBundle, signal: AbortSignal): Promise<SeedAnswer>;
}
