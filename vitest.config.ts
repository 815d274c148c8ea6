import { relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Where a module is replaced by another, nobody may have loaded it before. */
const apart = ["test/**/*.apart.test.ts"];

/**
 * Files that wait for containers and processes, or try many crashes, come first: no long one is begun last. The others come
 * by their size, which says little of a file that runs suites of `test/helpers/contracts`.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      /^test\/(docker|faults|reconcile|hands\/fake-)/.test(relative("", moduleId));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    setupFiles: ["test/own-place.ts"],
    // most of it is work of processes and containers, and the machine may have others
    testTimeout: 240_000,
    hookTimeout: 300_000,
    // tests of containers wait more than they compute
    maxWorkers: 4,
    // a process that is started is first a copy of the one that starts it: the smaller that is, the cheaper
    execArgv: ["--max-semi-space-size=4"],
    sequence: { sequencer: LongFirst },
    projects: [
      // loading the code again for each file would cost more than many of these files do
      { extends: true, test: { name: "together", include: ["test/**/*.test.ts"], exclude: apart, isolate: false } },
      { extends: true, test: { name: "apart", include: apart } },
    ],
  },
});
