import type { StagedFacts } from "../hands/checks-port.js";

/** Where the tests of a task say which criteria they are for: what is named and not there, and what is there and not named. */
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
