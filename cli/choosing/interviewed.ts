import { TilthError } from "../../runner/base/errors.js";
import { looksLikeKey } from "../../runner/interview/secrets.js";
import { shellWord } from "../../runner/source/git/shell-word.js";
import type { Frontend } from "../../runner/tools/interviewer/frontend.js";
import { AnswersFrontend } from "../frontend/answers.js";
import { readAnswers } from "../frontend/answers-file.js";
import type { Output } from "../output/output.js";
import { atTerminal } from "./at-terminal.js";

/** The person an interview is held with: at the terminal, or through answers written down beforehand. */
export interface Interviewed {
  readonly frontend: Frontend;
  /** true if somebody can be asked about anything else */
  readonly present: boolean;
  /** Null if there is no brief after all. */
  brief(signal: AbortSignal): Promise<string | null>;
}

interface InterviewOptions {
  readonly brief?: string;
  readonly answers?: string;
}

/** TilthError `usage` with the command to type if there is neither a terminal nor a file of answers. */
export async function openInterviewed(output: Output, source: string, given: InterviewOptions): Promise<Interviewed> {
  const brief = given.brief?.trim() ?? "";
  if (looksLikeKey(brief))
    throw new TilthError(
      "usage",
      "the brief contains what looks like a key; none is sent to a model",
      "take it out of the brief",
    );
  if (given.answers !== undefined) return writtenDown(output, { source, brief, answers: given.answers });
  if (!atTerminal())
    throw new TilthError(
      "usage",
      "an interview needs a terminal, or a file with the answers",
      `tilth prep-feature ${shellWord(source)} --brief ${brief === "" ? "<text>" : shellWord(brief)} --answers <file>`,
    );
  const { TerminalFrontend } = await import("../frontend/terminal.js");
  const frontend = new TerminalFrontend(output, looksLikeKey);
  return { frontend, present: true, brief: async (signal) => (brief === "" ? await frontend.askBrief(signal) : brief) };
}

interface WrittenDown {
  readonly source: string;
  readonly brief: string;
  readonly answers: string;
}

function writtenDown(output: Output, { source, brief, answers }: WrittenDown): Interviewed {
  if (brief === "")
    throw new TilthError(
      "usage",
      "--answers needs --brief too, because nobody is asked for the brief",
      `tilth prep-feature ${shellWord(source)} --brief <text> --answers ${shellWord(answers)}`,
    );
  const frontend = new AnswersFrontend(output, readAnswers(answers, looksLikeKey));
  return { frontend, present: false, brief: async () => brief };
}
