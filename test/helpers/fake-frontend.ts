import { Interrupted } from "../../runner/base/errors.js";
import type { Frontend, InterviewSummary } from "../../runner/tools/interviewer/frontend.js";

/** A person whose answers are prepared; the answer `hang` never comes. */
export class FakeFrontend implements Frontend {
  readonly asked: { readonly question: string; readonly options: readonly string[] }[] = [];
  readonly summaries: InterviewSummary[] = [];
  readonly tokens: (readonly [prompt: number, completion: number])[] = [];
  readonly #answers: string[];

  constructor(answers: readonly string[] = []) {
    this.#answers = [...answers];
  }

  async askUser(question: string, options: readonly string[], signal: AbortSignal): Promise<string> {
    if (signal.aborted) throw new Interrupted();
    this.asked.push({ question, options });
    const answer = this.#answers.shift() ?? "(no answer)";
    return answer === "hang" ? brokenOff(signal) : answer;
  }

  async permit(): Promise<boolean> {
    return false;
  }

  showSummary(summary: InterviewSummary): void {
    this.summaries.push(summary);
  }

  updateTokens(prompt: number, completion: number): void {
    this.tokens.push([prompt, completion]);
  }
}

function brokenOff(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Interrupted()), { once: true });
  });
}
