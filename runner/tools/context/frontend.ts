/** The person an interview is held with. Every method that waits fails with Interrupted when its signal aborts or they break off. */
export interface Frontend {
  /** The model's question. The answer is theirs, one of the options or not; "(no answer)" when there is none. Never a key. */
  askUser(question: string, options: readonly string[], signal: AbortSignal): Promise<string>;
  /** tilth's own question: whether the model may see something. Where nobody can be asked, no. */
  permit(question: string, signal: AbortSignal): Promise<boolean>;
  /** What was agreed on, once the seed is taken. */
  showSummary(summary: InterviewSummary): void;
  /** what the interview has used so far */
  updateTokens(prompt: number, completion: number): void;
}

export interface InterviewSummary {
  readonly tldr: string;
  readonly openQuestions: readonly string[];
  readonly blockers: readonly string[];
}
