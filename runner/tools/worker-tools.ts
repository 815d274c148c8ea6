import { bash } from "./bash.js";
import type { WorkerContext } from "./context/worker-context.js";
import { editFile } from "./edit-file.js";
import { glob } from "./glob.js";
import { grep } from "./grep.js";
import { readFile } from "./read-file.js";
import { Registry } from "./registry.js";
import { submitCase } from "./submit-case.js";
import { writeFile } from "./write-file.js";

export function workerTools(): Registry<WorkerContext> {
  return new Registry<WorkerContext>([bash, readFile, writeFile, editFile, glob, grep], [submitCase]);
}
