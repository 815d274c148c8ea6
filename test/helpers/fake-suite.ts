import { Interrupted } from "../../runner/base/errors.js";
import type { TreeId } from "../../runner/base/ids.js";
import { nothingRan } from "../../runner/checks/suite/outcomes.js";
import type { SuiteReport, SuiteRun, SuiteRuns } from "../../runner/hands/ports/checks/suite.js";

/** All files of a tree; null if the test does not care about the project's own tests. */
export type FilesOf = (tree: TreeId) => ReadonlyMap<string, string>;

const testFile = /(^|\/)test_[^/]*\.py$/;
const test = /^def (test_\w+)\(\): has\("([^"]*)", "([^"]*)"\)$/gm;
const importLine = /^import (\w+)$/gm;

/** Ids of the tests in a file of this kind. */
export function testsIn(path: string, source: string): readonly string[] {
  return [...source.matchAll(test)].map(([, name]) => `${path}::${name}`);
}

/**
 * A project's own tests in memory: `def test_a(): has("file", "text")` passes if the file holds the text. A file that
 * imports a module that the tree lacks cannot be collected.
 */
export class FakeSuite implements SuiteRuns {
  readonly runs: SuiteRun[] = [];
  /** changes the report that the files give */
  answer: ((run: SuiteRun, report: SuiteReport) => SuiteReport) | null = null;

  constructor(private readonly filesOf: FilesOf) {}

  async run(run: SuiteRun, signal: AbortSignal): Promise<SuiteReport> {
    this.runs.push(run);
    // yields, as a container would that takes its time
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) throw new Interrupted();
    const report = this.report(run);
    return this.answer ? this.answer(run, report) : report;
  }

  async touched({ tree, changed, files }: Parameters<SuiteRuns["touched"]>[0]): Promise<readonly string[]> {
    const texts = this.filesOf(tree);
    return files.filter((file) => changed.some((path) => path === file || texts.get(file)?.includes(`"${path}"`)));
  }

  async bodies(files: Parameters<SuiteRuns["bodies"]>[0]): Promise<readonly Readonly<Record<string, string>>[]> {
    return files.map(({ tree, path }) => {
      const found = (this.filesOf(tree).get(path) ?? "").matchAll(test);
      return Object.fromEntries([...found].map(([, name = "", file = "", text = ""]) => [name, `${file} ${text}`]));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  private report({ tree, files, leftOut }: SuiteRun): SuiteReport {
    const texts = this.filesOf(tree);
    const all = files ?? [...texts.keys()].filter((path) => testFile.test(path) && !leftOut.includes(path));
    const collectErrors: { path: string; reason: string; text: string }[] = [];
    const results = all.flatMap((path) => {
      const source = texts.get(path);
      const lacked = [...(source ?? "").matchAll(importLine)].find(([, name]) => !texts.has(`${name}.py`));
      if (source === undefined || lacked) {
        collectErrors.push({ path, reason: "import_error", text: `E   ImportError: ${lacked?.[1] ?? path}` });
        return [];
      }
      return [...source.matchAll(test)].map(([, name = "", file = "", text = ""]) => {
        const good = texts.get(file)?.includes(text) === true;
        const said = good ? "" : `E   AssertionError: ${file} has no ${text}`;
        return { id: `${path}::${name}`, outcome: good ? ("passed" as const) : ("failed" as const), text: said };
      });
    });
    return { ...nothingRan, results, collectErrors };
  }
}
