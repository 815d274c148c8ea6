import { S_STEP_ACTIVE, S_STEP_ERROR, S_STEP_SUBMIT } from "@clack/prompts";
import { Interrupted } from "../../runner/base/errors.js";
import type { Frontend, InterviewSummary } from "../../runner/tools/interviewer/frontend.js";
import type { Output } from "../output/output.js";
import { bold, dim, green, line, type Painted, red } from "../output/painted.js";
import { ask } from "./ask.js";
import { type Choices, noAnswer, type Reply } from "./asking.js";
import { barred } from "./frame.js";

interface Question {
  readonly heading: Painted;
  readonly text: string;
  readonly choices: Choices;
}

interface Choosing {
  readonly text: string;
  readonly options: readonly string[];
  readonly initial: number;
}

const briefWanted =
  "What is to be built or changed? A sentence or a whole text; it may name a document in the repository.";

/**
 * The person at the terminal. Everything a model said is behind a bar, below a heading that says whose words they are.
 */
export class TerminalFrontend implements Frontend {
  readonly #output: Output;
  readonly #refuses: (answer: string) => boolean;
  #tokens = 0;

  constructor(output: Output, refuses: (answer: string) => boolean) {
    this.#output = output;
    this.#refuses = refuses;
  }

  async askUser(question: string, options: readonly string[], signal: AbortSignal): Promise<string> {
    const used = `${this.#tokens.toLocaleString("en-US")} tokens so far`;
    const heading = line`${green(S_STEP_ACTIVE)}  ${bold("The model asks")}  ${dim(used)}`;
    const reply = await this.#answered({ heading, text: question, choices: this.#open(options) }, signal);
    if (reply.kind === "option") return options[reply.index] ?? noAnswer;
    return reply.kind === "text" ? reply.text : noAnswer;
  }

  async permit(question: string, signal: AbortSignal): Promise<boolean> {
    const reply = await this.#chosen({ text: question, options: ["yes", "no"], initial: 1 }, signal);
    if (reply.kind === "end_of_input") throw new Interrupted();
    return reply.kind === "option" && reply.index === 0;
  }

  /** Asks tilth's own question for the brief; null if nothing was typed. */
  async askBrief(signal: AbortSignal): Promise<string | null> {
    const reply = await this.#answered({ heading: ownHeading(), text: briefWanted, choices: this.#open([]) }, signal);
    return reply.kind === "text" ? reply.text : null;
  }

  /** Lets the person choose one of tilth's own options; null at the end of input. */
  async choose(text: string, options: readonly string[], signal: AbortSignal): Promise<number | null> {
    const reply = await this.#chosen({ text, options, initial: 0 }, signal);
    return reply.kind === "option" ? reply.index : null;
  }

  showSummary({ tldr, openQuestions, blockers }: InterviewSummary): void {
    this.#output.say("");
    this.#show("What the model wrote down", tldr);
    if (openQuestions.length > 0) this.#show("Open questions", listed(openQuestions));
    if (blockers.length > 0) this.#show("Blockers", listed(blockers));
  }

  updateTokens(prompt: number, completion: number): void {
    this.#tokens = prompt + completion;
  }

  #open(options: readonly string[]): Choices {
    return { options, free: true, initial: 0, refuses: this.#refuses };
  }

  async #chosen({ text, options, initial }: Choosing, signal: AbortSignal): Promise<Reply> {
    const choices = { options, free: false, initial, refuses: this.#refuses };
    return await this.#ask({ heading: ownHeading(), text, choices }, signal);
  }

  async #answered(asked: Question, signal: AbortSignal): Promise<Reply> {
    const reply = await this.#ask(asked, signal);
    if (reply.kind === "end_of_input") throw new Interrupted();
    return reply;
  }

  async #ask({ heading, text, choices }: Question, signal: AbortSignal): Promise<Reply> {
    const announce = async () => {
      for (const said of ["", heading, ...barred(text, columns()), ...barred("", columns())]) this.#output.say(said);
      await this.#output.drain(signal);
    };
    return await ask({ announce, choices }, signal);
  }

  #show(heading: string, text: string): void {
    this.#output.say(line`${green(S_STEP_SUBMIT)}  ${bold(heading)}`);
    for (const said of [...barred(text, columns()), ""]) this.#output.say(said);
  }
}

function ownHeading(): Painted {
  return line`${red(S_STEP_ERROR)}  ${bold("tilth asks")}`;
}

function listed(lines: readonly string[]): string {
  return lines.map((text) => `- ${text}`).join("\n");
}

function columns(): number {
  return process.stderr.columns || 80;
}
