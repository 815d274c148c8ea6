import type { TreeId } from "../../../base/ids.js";
import { redOf } from "../../../checks/red.js";
import type { StagedFacts } from "../../../hands/ports/checks/staged.js";
import { type Hands, HandsLost } from "../../../hands/ports/hands.js";
import type { SeedTests } from "../../../loop/context/seed-tests.js";
import type { Prd, Task } from "../../../session/state/prd.js";
import { absent, type Findings } from "../log/findings.js";
import { type LoggedEvent, lineOfLog } from "../log/recorded-log.js";

export interface RecordedRed {
  readonly red: LoggedEvent<"red_check">;
  readonly task: Task;
  readonly prd: Prd;
  readonly seedTests: SeedTests;
  readonly last: TreeId;
  readonly timeoutMs: number;
}

/** The part of a red check that the later check relies on. */
export interface KnownFromRed {
  readonly facts: readonly StagedFacts[];
  readonly ranRed: readonly string[];
}

export const nothingKnown: KnownFromRed = { facts: [], ranRed: [] };

interface Means {
  readonly hands: Hands;
  readonly findings: Findings;
  readonly signal: AbortSignal;
}

/** Runs the task's red check again on the tree it began from: the same tests must pass as then, and no others. */
export async function redAgain(
  { red, task, prd, seedTests, last, timeoutMs }: RecordedRed,
  { hands, findings, signal }: Means,
): Promise<KnownFromRed> {
  const [own, ...others] = seedTests.judging(task, prd);
  if (own === undefined) throw new Error(`nothing judges ${task.id}`);
  const what = `red check of ${task.id}, run again`;
  try {
    const report = await hands.checks.red({ tree: last, run: [own], read: others, timeoutMs }, signal);
    const [again] = redOf(report);
    for (const { id, expected, seen } of turned(red.payload.tests, again?.tests ?? {}))
      findings.differ({ what, where: lineOfLog(red, `tests[${JSON.stringify(id)}]`), expected, seen });
    return { facts: report.facts, ranRed: again?.ranIds ?? [] };
  } catch (error) {
    if (!(error instanceof HandsLost)) throw error;
    findings.differ({ what, where: lineOfLog(red), expected: "a report", seen: absent });
    return nothingKnown;
  }
}

const passed = "passed";

/** Compares only passed or not: the reason of a failure does not count. */
function turned(recorded: Readonly<Record<string, string>>, again: Readonly<Record<string, string>>) {
  return Object.entries(recorded)
    .map(([id, expected]) => ({ id, expected, seen: again[id] ?? absent }))
    .filter(({ expected, seen }) => (expected === passed) !== (seen === passed));
}
