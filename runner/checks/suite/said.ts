import { counted } from "../../text/counted.js";
import { oneLine } from "../../text/sanitise.js";
import type { BaseSuite } from "./base.js";

const shownNames = 3;
const shownName = 120;

/** Tells a person about their own tests in one or two sentences; silent when the project has none. */
export function saidOf(base: BaseSuite, seconds: number): readonly string[] {
  if (base.problem !== null)
    return [`your tests are not held: ${base.problem}; TILTH_SUITE=off leaves them out without a word`];
  if (base.passed + base.failed + base.unstable + base.skipped + base.not_run.length === 0) return [];
  const parts = [
    `${base.passed} pass`,
    ...(base.failed > 0 ? [`${base.failed} ${verb(base.failed, "fail")} already (${named(base.failing)})`] : []),
    ...(base.unstable > 0 ? [`${base.unstable} ${are(base.unstable)} unstable (${named(base.unsteady)})`] : []),
    ...(base.skipped > 0 ? [`${base.skipped} ${are(base.skipped)} skipped`] : []),
  ];
  return [`your tests: ${parts.join(", ")}`, ...withoutAny(base), ...unfinished(base, seconds)];
}

function withoutAny({ passed, failed }: BaseSuite): readonly string[] {
  if (passed > 0 || failed === 0) return [];
  const why = "a check has no network, no services and nothing that the dependency files do not name";
  return [`none of your tests passes where checks run, so none is held: ${why}; TILTH_SUITE=off leaves them out`];
}

function unfinished({ not_run: files }: BaseSuite, seconds: number): readonly string[] {
  if (files.length === 0) return [];
  const where = `${counted(files.length, "file")} of your tests did not fit into ${seconds} s (TILTH_SUITE_SECONDS)`;
  return [`${where}, and will run first next time: ${named(files)}`];
}

/** Lists the first few names, and says how many more there are. */
export function named(names: readonly string[], most = shownNames): string {
  const more = names.length - most;
  const shown = names.slice(0, most).map((name) => oneLine(name, shownName));
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function verb(count: number, word: string): string {
  return count === 1 ? `${word}s` : word;
}

function are(count: number): string {
  return count === 1 ? "is" : "are";
}
