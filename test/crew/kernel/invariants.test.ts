import { expect, test } from "vitest";
import { apply } from "../../../runner/crew/kernel/kernel.js";
import { type Transition, transitions } from "../../../runner/crew/kernel/transitions.js";
import { Watch } from "./invariants.js";
import { Draw, randomCrew, randomIntent } from "./random-crew.js";

const sequences = Number(process.env.SEQUENCES ?? 10_000);
const longest = 100;

/** Plays one sequence of intents, and says what was broken first. */
function brokenBy(seed: number, table: readonly Transition[]): string | null {
  const draw = new Draw(seed);
  const crew = randomCrew(draw, table);
  const watch = new Watch(crew);
  for (let at = draw.below(longest); at >= 0; at -= 1) {
    const { actor, intent } = randomIntent(crew, draw);
    if (draw.chance(15)) crew.askAlone(actor, intent);
    else crew.ask(actor, intent);
    if (draw.chance(10)) crew.pass(draw.below(20));
    const [broken] = watch.broken();
    if (broken !== undefined) return `seed ${seed}: ${broken}, after ${JSON.stringify([actor, intent])}`;
  }
  return null;
}

test("no sequence of intents breaks an invariant", () => {
  for (let seed = 1; seed <= sequences; seed += 1) {
    const broken = brokenBy(seed, transitions);
    if (broken !== null) expect(broken).toBe("");
  }
});

/** An item that needs fixes is in the way of all that overlaps it, so nothing of that is given out meanwhile. */
const followsFromOthers = "T7 without overlapsNothing";
const weaker = transitions.flatMap((row, at) =>
  row.guards.map((name) => {
    const guards = row.guards.filter((each) => each !== name);
    return [`${row.rule} without ${name}`, transitions.with(at, { ...row, guards })] as const;
  }),
);

test.each(weaker.filter(([name]) => name !== followsFromOthers))("a table is found to be wrong: %s", (_, table) => {
  const found = Array.from({ length: sequences }, (__, at) => at + 1).some((seed) => {
    try {
      return brokenBy(seed, table) !== null;
    } catch {
      return true; // the kernel refuses itself
    }
  });
  expect(found).toBe(true);
});

test("the same intents lead to the same state", () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const draw = new Draw(seed);
    const crew = randomCrew(draw);
    for (let at = 0; at < longest; at += 1) {
      const { actor, intent } = randomIntent(crew, draw);
      crew.ask(actor, intent);
      if (draw.chance(10)) crew.pass(draw.below(20));
    }
    const [first] = crew.applied;
    let folded = first?.before ?? crew.state;
    for (const { asked, now } of crew.applied) {
      const outcome = apply(folded, asked, now);
      if ("refused" in outcome) throw new Error(`seed ${seed}: ${JSON.stringify([asked, outcome])}`);
      folded = outcome.state;
    }
    expect(folded).toEqual(crew.state);
  }
});
