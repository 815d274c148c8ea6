import { expect, test } from "vitest";
import { aloneFirst, inRounds } from "../../runner/hands/roles/check/counter/variants.js";

const reached = { a: ["f:1:0", "f:2:0", "h:9:0"], b: ["f:3:0", "f:4:0", "h:9:0"], c: ["f:5:0"], "": ["f:0:0"] };
const sites = ["f:1:0", "f:3:0", "f:2:0", "f:5:0", "h:9:0", "f:4:0", "f:0:0", "f:7:0"];

test("the first few assertions are falsified alone in every test that reaches them, as are those reached at collection", () => {
  const { alone, rest } = aloneFirst({ sites, reached });
  expect(alone.map((variant) => variant.map(({ test: id, site }) => `${id}@${site}`))).toEqual([
    ["a@f:1:0"],
    ["b@f:3:0"],
    ["a@f:2:0"],
    ["@f:0:0"],
  ]);
  expect(rest.map(({ site }) => site)).toEqual(["f:5:0", "h:9:0", "h:9:0", "f:4:0"]);
});

test("the rest are falsified in as many runs as the test with the most of them needs, one per test and run", () => {
  const variants = inRounds(aloneFirst({ sites, reached }).rest);
  expect(variants.map((variant) => variant.map(({ test: id, site }) => `${id}@${site}`))).toEqual([
    ["c@f:5:0", "a@h:9:0", "b@h:9:0"],
    ["b@f:4:0"],
  ]);
  expect(inRounds([])).toEqual([]);
});

test("tens of thousands of tests are falsified in parts that each fit into a request", () => {
  const many = Array.from({ length: 30_000 }, (_, at) => `tests/test_a.py::test_a[a set of parameters, number ${at}]`);
  const all = Object.fromEntries(many.map((test) => [test, ["tests/test_a.py:1:0", "tests/test_a.py:2:0"]]));
  const { alone } = aloneFirst({ sites: ["tests/test_a.py:1:0"], reached: all });
  const rounds = inRounds(many.map((test) => ({ test, site: "tests/test_a.py:2:0" })));
  for (const variants of [alone, rounds]) {
    expect(variants.length).toBeGreaterThan(1);
    expect(variants.flat().map(({ test }) => test)).toEqual(many);
    for (const variant of variants) expect(JSON.stringify(variant).length).toBeLessThan(900_000);
  }
});
