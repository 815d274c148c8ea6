import { askUser } from "./ask-user.js";
import type { InterviewContext } from "./context/interview-context.js";
import { glob } from "./glob.js";
import { grep } from "./grep.js";
import { readFile } from "./read-file.js";
import { Registry } from "./registry.js";
import { writeSeed } from "./write-seed.js";

export function interviewTools(): Registry<InterviewContext> {
  return new Registry<InterviewContext>([readFile, glob, grep, askUser], [writeSeed]);
}
