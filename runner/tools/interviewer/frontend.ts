/**
 * The person an interview is held with. Every method that waits throws Interrupted when its signal aborts or they break
 * off.
 */
export interface Frontend {
  /**
   * Asks the model's question. The answer is in the person's words or one of the options, "(no answer)" if there is
   * none, and never a key.
   */
  askUser(question: string, options: readonly string[], signal: AbortSignal): Promise<string>;
  /** Asks tilth's own question: whether the model may see something. The answer is no if nobody can be asked. */
  permit(question: string, signal: AbortSignal): Promise<boolean>;
  /** Shows what was agreed on, once the seed is accepted. */
  showSummary(summary: InterviewSummary): void;
  /** reports the tokens the interview has used so far */
  updateTokens(prompt: number, completion: number): void;
}

export interface InterviewSummary {
  readonly tldr: string;
  readonly openQuestions: readonly string[];
  readonly blockers: readonly string[];
}
