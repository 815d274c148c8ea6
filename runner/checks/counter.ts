import type { CounterReport } from "../hands/ports/checks/counter.js";
import type { Betrayal, PytestReport } from "../hands/ports/checks/pytest.js";
import type { StagedFacts } from "../hands/ports/checks/staged.js";
import type { CheckResult } from "../session/log/events/checks.js";
import { endsOf } from "../text/bounded-text.js";

type ReachedSites = PytestReport["reached"];

const mostOutput = 16 * 1024;

/**
 * Returns the assertions that a counter-check makes false: fair sites that the real run reached. Files come as `facts`
 * lists them, sites within each file in random order, so that code under test cannot tell by the order what runs.
 */
export function sitesInOrder(
  facts: readonly StagedFacts[],
  reached: ReachedSites,
  random: () => number = Math.random,
): readonly string[] {
  const were = new Set(Object.values(reached).flat());
  const sites = facts.flatMap(({ assertions }) => {
    const fair = assertions.filter(({ id, unfair }) => unfair === null && were.has(id));
    return shuffled(fair, random).map(({ id }) => id);
  });
  return [...new Set(sites)];
}

/** Returns the sites that a counter-check does not try, with the reasons. */
export function leftOutSites(
  facts: readonly StagedFacts[],
  reached: ReachedSites,
): readonly { readonly site: string; readonly why: string }[] {
  const were = new Set(Object.values(reached).flat());
  const whys = new Map<string, string>();
  for (const { id, unfair } of facts.flatMap(({ assertions }) => assertions)) {
    if (unfair !== null) whys.set(id, unfair);
    else if (!were.has(id)) whys.set(id, "not reached");
  }
  return [...whys].map(([site, why]) => ({ site, why }));
}

const reasons: Readonly<Record<Betrayal | "passes", string>> = {
  passes: [
    "Each of these tests still passes when the assertion named is made false: something in the tree makes failures pass.",
    "That may be a value that equals or contains everything, a mock where a result belongs, or code that catches what",
    "an assertion raises, replaces an assertion, or rewrites a test. Let the code do what the test asks for instead.",
  ].join("\n"),
  looked_up: [
    "When what these assertions expect was exchanged in the tests, the code gave back just what was put there: it reads",
    "the expected value from the source or the frames of the tests. Let it compute the value instead.",
  ].join("\n"),
  hangs_on_tests: [
    "When what these assertions expect was exchanged in the tests, the code gave another value than before: what it gives",
    "hangs on the source or the frames of the tests. Let it compute the value instead.",
  ].join("\n"),
  hangs_on_caller: [
    "The test is told yes where anyone else who puts the same question is told no: the answer hangs on who asks, or from",
    "how deep. Let it follow from the two values that are compared.",
  ].join("\n"),
  agrees_with_all: [
    "A value that is compared here says yes to whatever it is held against, such as lying on both sides of a number or",
    "holding what lies anywhere. Let the code give a value that could also say no.",
  ].join("\n"),
  takes_everything: [
    "The class that is asked for here takes objects for its instances that it has never seen. Let it take its own.",
  ].join("\n"),
  counted_off: [
    "In another order these calls gave just what others were expected to give: the answers are counted off call by call.",
    "Let each answer follow from the arguments of its call.",
  ].join("\n"),
};

export function counterJudgement({ caught, failedAgain, ms }: CounterReport): CheckResult {
  if (failedAgain !== null) return passedOnce(failedAgain, ms);
  const passed = caught.length === 0;
  const kinds = [...new Set(caught.map(({ why }) => why))];
  const said = kinds
    .map((kind) => {
      const lines = caught
        .filter(({ why }) => why === kind)
        .map(({ site, tests }) => `${lineOf(site)}: ${tests.join(", ")}`);
      return [reasons[kind ?? "passes"], ...lines].join("\n");
    })
    .join("\n\n");
  return {
    name: "counter_check",
    passed,
    reason: passed ? null : "counter_check",
    output: passed ? "" : endsOf(said, mostOutput).text,
    ms,
  };
}

function passedOnce(why: string, ms: number): CheckResult {
  const said = [
    "The tests passed once, and then did not pass again on the same tree, with nothing changed and nothing left of the",
    "run before. Code has to do what its tests ask for whenever they ask:",
    why,
  ].join("\n");
  return { name: "counter_check", passed: false, reason: "passed_once", output: endsOf(said, mostOutput).text, ms };
}

function lineOf(site: string): string {
  return site.replace(/:\d+$/, "");
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
