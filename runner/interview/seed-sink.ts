/** A seed as the interviewer hands it in; nothing of it is checked but its outer shape. */
export interface SeedBundle {
  /** what is to become prd.json */
  readonly prdEntries: unknown;
  /** by bare file name */
  readonly testFiles: ReadonlyMap<string, string>;
  /** tldr, open_questions, blockers, scope_notes */
  readonly notes: unknown;
}

export type SeedAnswer = { readonly ok: true } | { readonly ok: false; readonly problem: string };

/** Where the seed of an interview goes. All of it is taken, or nothing: then the first thing that is wrong is said. */
export interface SeedSink {
  writeSeed(bundle: SeedBundle, signal: AbortSignal): Promise<SeedAnswer>;
}
