import { glob } from "../reading/glob.js";
import { grep } from "../reading/grep.js";
import { readFile } from "../reading/read-file.js";
import { Registry } from "../tool/registry.js";
import { bash } from "./bash.js";
import { editFile } from "./edit-file.js";
import { submitCase } from "./submit-case.js";
import type { WorkerContext } from "./worker-context.js";
import { writeFile } from "./write-file.js";

export function workerTools(): Registry<WorkerContext> {
  return new Registry<WorkerContext>([bash, readFile, writeFile, editFile, glob, grep], [submitCase]);
}
