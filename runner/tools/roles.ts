import { askUser } from "./interviewer/ask-user.js";
import type { InterviewContext } from "./interviewer/interview-context.js";
import { writeSeed } from "./interviewer/write-seed.js";
import { glob } from "./reading/glob.js";
import { grep } from "./reading/grep.js";
import { readFile } from "./reading/read-file.js";
import type { ToolLooks } from "./tool/look.js";
import { Registry } from "./tool/registry.js";
import { bash } from "./worker/bash.js";
import { editFile } from "./worker/edit-file.js";
import { submitCase } from "./worker/submit-case.js";
import type { WorkerContext } from "./worker/worker-context.js";
import { writeFile } from "./worker/write-file.js";

export function workerTools(): Registry<WorkerContext> {
  return new Registry<WorkerContext>([bash, readFile, writeFile, editFile, glob, grep], [submitCase]);
}

export function interviewTools(): Registry<InterviewContext> {
  return new Registry<InterviewContext>([readFile, glob, grep, askUser], [writeSeed]);
}

/** The looks of all calls that a session's log may hold. */
export const toolLooks: ToolLooks = { ...workerTools().looks, ...interviewTools().looks };
