import type { Files } from "../test/helpers/sources.js";
import type { TinyPackage } from "../test/helpers/tiny-wheel.js";
import { moduleOf, pythonFiles } from "./python-files.js";
import { answerTask } from "./staged.js";

const packages = 200;
const modulesEach = 50;
/** modules that a package loads when it is imported */
const importedEach = 4;
/** packages that the project imports */
const imported = 30;
const tests = 40;

const { module, testName } = answerTask(1);
const names = Array.from({ length: packages }, (_, at) => `part-${at}`);
const folderOf = (name: string) => name.replaceAll("-", "_");

/** Distributions for an index, each of as many modules as is usual; every third brings a program. */
export function manyPackages(): readonly TinyPackage[] {
  return names.map((name, at) => ({ name, version: "1.0", files: filesOf(folderOf(name), at % 3 === 0) }));
}

function filesOf(folder: string, bringsProgram: boolean): Readonly<Record<string, string>> {
  const modules = Array.from({ length: modulesEach }, (_, at) => [`${folder}/module_${at}.py`, moduleOf(at)]);
  const imports = Array.from({ length: importedEach }, (_, at) => `from . import module_${at} as module_${at}\n`);
  const counted = `\n\ndef count():\n    return ${importedEach}\n`;
  const entry = `[console_scripts]\n${folder} = ${folder}:count\n`;
  return {
    ...Object.fromEntries(modules),
    [`${folder}/__init__.py`]: `${imports.join("")}${counted}`,
    ...(bringsProgram ? { [`${folder}-1.0.dist-info/entry_points.txt`]: entry } : {}),
  };
}

/** A project before its task: it needs all of the packages and imports some. */
export const project: Files = {
  ...pythonFiles(200),
  "requirements.txt": `${names.map((name) => `${name}==1.0`).join("\n")}\n`,
};

/** The file that solves the task, and its test. */
export const solution = { path: module, source: solutionText() };
export const staged = { path: `tests/${testName}`, source: stagedText() };

function solutionText(): string {
  const used = names.slice(0, imported).map(folderOf);
  const sum = used.map((folder) => `${folder}.count()`).join(" + ");
  return `${used.map((folder) => `import ${folder}\n`).join("")}\n\ndef answer():\n    return ${sum}\n`;
}

function stagedText(): string {
  const each = (at: number) =>
    `def test_answer_${at}():\n    assert answer() + ${at} == ${imported * importedEach + at}\n`;
  const functions = Array.from({ length: tests }, (_, at) => each(at));
  return `from pkg.answer_1 import answer\n\n\n${functions.join("\n\n")}`;
}
