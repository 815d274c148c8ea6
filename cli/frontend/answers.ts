import { oneLine } from "../../runner/text/sanitise.js";
import type { Frontend, InterviewSummary } from "../../runner/tools/interviewer/frontend.js";
import type { Output } from "../output/output.js";
import { noAnswer } from "./asking.js";

/**
 * Answers that were written down beforehand. Nobody is there to permit anything. Questions and answers go to the
 * output.
 */
export class AnswersFrontend implements Frontend {
  readonly #output: Output;
  readonly #answers: readonly string[];
  #next = 0;

  constructor(output: Output, answers: readonly string[]) {
    this.#output = output;
    this.#answers = answers;
  }

  async askUser(question: string, options: readonly string[], signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    this.#say("the model asks:", question);
    for (const [at, option] of options.entries()) this.#output.say(`  | ${at + 1}. ${oneLine(option, 400)}`);
    const answer = picked(this.#answers[this.#next++] ?? "", options);
    this.#say("the answer:", answer);
    return answer;
  }

  async permit(question: string, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    this.#say("tilth asks:", question);
    this.#say("the answer:", "no; nobody is there to say yes");
    return false;
  }

  showSummary({ tldr, openQuestions, blockers }: InterviewSummary): void {
    this.#say("what the model wrote down:", tldr);
    if (openQuestions.length > 0) this.#say("open questions:", openQuestions.map((text) => `- ${text}`).join("\n"));
    if (blockers.length > 0) this.#say("blockers:", blockers.map((text) => `- ${text}`).join("\n"));
  }

  updateTokens(): void {
    // a script has no use for a running total; the session's record has it
  }

  /** Puts text of others behind a bar, as at a terminal. */
  #say(heading: string, text: string): void {
    this.#output.say(heading);
    for (const line of text.trim().split(/\r\n|\r|\n/)) this.#output.say(`  | ${line}`);
  }
}

/** A number stands for an option; a number without an option is an answer like any other. */
function picked(answer: string, options: readonly string[]): string {
  if (answer === "") return noAnswer;
  return (/^\d{1,3}$/.test(answer) ? options[Number(answer) - 1] : undefined) ?? answer;
}
