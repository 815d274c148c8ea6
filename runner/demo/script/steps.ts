import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../base/package-folder.js";
import type { ScriptedCall } from "./script.js";

/** The example seed, its repository and what the scripted worker writes. */
export const exampleFolder = join(packageFolder, "examples", "todo-cli");

/** One reply of the scripted worker. */
export interface Step {
  readonly says?: string;
  /** pattern that the answers to the last reply must match for the play to go on */
  readonly seen?: RegExp;
  readonly calls: () => readonly ScriptedCall[];
}

export interface CaseInShort {
  readonly summary: string;
  /** the place where each criterion is met, in order */
  readonly met: readonly string[];
  readonly workArounds?: readonly string[];
  readonly uncertainties?: readonly string[];
}

export function bash(command: string): ScriptedCall {
  return ["bash", { command }];
}

/** Writes a file of the example's `script/` folder into the workspace. */
export function write(path: string, file: string): ScriptedCall {
  return ["write_file", { path, content: readFileSync(join(exampleFolder, "script", file), "utf8") }];
}

export function edit(path: string, oldString: string, newString: string): ScriptedCall {
  return ["edit_file", { path, old_string: oldString, new_string: newString }];
}

export function submit({ summary, met, workArounds = [], uncertainties = [] }: CaseInShort): ScriptedCall {
  const ac_coverage = met.map((addressed_by, index) => ({ criterion: String(index + 1), addressed_by }));
  return ["submit_case", { summary, ac_coverage, work_arounds: workArounds, uncertainties }];
}
