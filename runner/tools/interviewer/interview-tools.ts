import { glob } from "../reading/glob.js";
import { grep } from "../reading/grep.js";
import { readFile } from "../reading/read-file.js";
import { Registry } from "../tool/registry.js";
import { askUser } from "./ask-user.js";
import type { InterviewContext } from "./interview-context.js";
import { writeSeed } from "./write-seed.js";

export function interviewTools(): Registry<InterviewContext> {
  return new Registry<InterviewContext>([readFile, glob, grep, askUser], [writeSeed]);
}
