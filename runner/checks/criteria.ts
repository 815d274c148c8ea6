import type { StagedFacts } from "../hands/ports/checks.js";

/** Notes criteria that tests name and the task lacks, and, if any is named at all, those that no test names. */
export function criteriaNotes(facts: StagedFacts | undefined, criteria: number): readonly string[] {
  const named = facts?.tests.filter((test) => test.criteria.length > 0) ?? [];
  if (named.length === 0) return [];
  const unknown = named.flatMap(({ id, criteria: numbers }) =>
    numbers.filter((number) => number < 1 || number > criteria).map((number) => `${id} names criterion ${number}`),
  );
  const known = new Set(named.flatMap((test) => test.criteria));
  const orphans = Array.from({ length: criteria }, (_, index) => index + 1).filter((number) => !known.has(number));
  return [
    ...unknown.map((what) => `${what}, which the task does not have`),
    ...orphans.map((number) => `criterion ${number} is named by no seed test, while others are`),
  ];
}
