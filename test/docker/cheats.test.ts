import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogue, firstStop, type Row } from "../cheats/catalogue.js";
import { ways } from "../cheats/cheat.js";
import { DirectWorld } from "../cheats/direct.js";
import { tasks } from "../cheats/project.js";
import { isAsSaid, isStoppedBy } from "../cheats/verdict.js";
import { someOf } from "../helpers/every.js";

const rows = await catalogue();
const picked = [...someOf(rows, 24, ({ way }) => way), ...someOf(rows, rows.length, firstStop)];
const tried = rows.filter((row) => picked.includes(row));
const named = (all: readonly Row[]) => all.map((row): [string, Row] => [row.name, row]);

let world: DirectWorld;

beforeAll(async () => {
  world = await DirectWorld.open();
});
afterAll(() => world?.[Symbol.asyncDispose]());

test("there are at least eighty cheats, of every kind, each with a name of its own", () => {
  expect(rows.length).toBeGreaterThanOrEqual(80);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  expect(ways.filter((way) => !rows.some((row) => row.way === way))).toEqual([]);
});

test("only a few cheats are not stopped by a gate, and these say so", () => {
  const open = rows.filter(({ stoppedBy }) => typeof stoppedBy === "string").map(({ file }) => file);
  expect(open).toEqual([
    "test/cheats/config/ruff-noqa.ts",
    "test/cheats/in-process/answers-written-down.ts",
    "test/cheats/in-process/arguments.ts",
    "test/cheats/in-process/current-test.ts",
    "test/cheats/in-process/equal-to-every-answer.ts",
  ]);
});

test.each(someOf(Object.values(tasks), 9).map(({ name }) => name))(
  "neither an exit status nor the gates pass %s before any work or cheat",
  async (task) => {
    expect((await world.naively({ task })).exit).toBe(1);
    expect(await world.cheat({ task })).toMatchObject({ passed: false, reasons: ["test_failed"] });
  },
);

const excused = rows.filter(({ behind }) => behind);
test.each(named(someOf(excused, 12, ({ way }) => way)))(
  "%s: the checks that run it refuse it too, when the task's text excuses it from the scanner",
  async (_, row) => {
    const judged = await world.unscanned(row);
    expect(isStoppedBy(row.behind ?? [], judged), judged.said).toBe(true);
  },
);

describe.each(ways)("%s", (way) => {
  const ofWay = named(tried.filter((row) => row.way === way));

  test.each(ofWay)("%s: an exit status accepts it, and the gates do what its file says", async (_, row) => {
    const believed = await world.naively(row);
    expect(believed, believed.output).toMatchObject({ exit: 0 });
    const judged = await world.cheat(row);
    if (judged) expect(isAsSaid(row, judged), judged.said).toBe(true);
  });

  test.each(ofWay)("%s: its honest twin is accepted", async (_, row) => {
    const judged = await world.twin(row);
    if (judged) expect(judged, judged.said).toMatchObject({ passed: true });
  });
});
