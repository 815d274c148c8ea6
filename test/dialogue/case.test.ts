import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCase } from "../../runner/dialogue/case.js";
import { caseSchema } from "../../runner/session/log/events/verdicts.js";

const task = { acceptance_criteria: ["adding works", "listing works"] };
const one = { criterion: "1", addressed_by: "todo/store.py:add" };
const two = { criterion: "listing works", addressed_by: "todo/store.py:all" };
const good = { summary: "stores todos", ac_coverage: [one, two] };
const presented = (value: unknown) => ({ arguments: typeof value === "string" ? value : JSON.stringify(value) });
const parse = (value: unknown) => parseCase(presented(value), task);

describe("a case", () => {
  it("is taken with its criteria as numbers and its lists without blanks", () => {
    expect(parse({ ...good, work_arounds: ["real", " ", ""], uncertainties: null })).toEqual({
      ok: true,
      value: {
        summary: "stores todos",
        ac_coverage: [one, { ...two, criterion: "2" }],
        work_arounds: ["real"],
        uncertainties: [],
      },
    });
  });

  it.each([
    ["blanks among five work-arounds", { ...good, work_arounds: ["a", "", "b", "c", " ", "d", "e"] }],
    ["two places for one criterion", { ...good, ac_coverage: [one, { ...one, addressed_by: "cli.py" }, two] }],
    ["evidence null", { ...good, ac_coverage: [{ ...one, evidence: null }, two] }],
    [
      "criteria as integers",
      {
        ...good,
        ac_coverage: [
          { ...one, criterion: 1 },
          { ...two, criterion: 2 },
        ],
      },
    ],
    [
      "criteria as the prompt shows them",
      {
        ...good,
        ac_coverage: [
          { ...one, criterion: "1." },
          { ...two, criterion: "2. listing works" },
        ],
      },
    ],
    ["a symbol alone", { ...good, ac_coverage: [{ ...one, addressed_by: "TodoStore.add" }, two] }],
    [
      "a path with a long remark",
      {
        ...good,
        ac_coverage: [{ ...one, addressed_by: "see (todo/store.py), which keeps all of them in one list" }, two],
      },
    ],
    [
      "a file name with a long remark",
      {
        ...good,
        ac_coverage: [{ ...one, addressed_by: "store.py:add keeps every todo that it is given in one list" }, two],
      },
    ],
  ])("may have %s", (_, value) => {
    expect(parse(value)).toMatchObject({ ok: true });
  });

  it.each([
    ["no summary", { ac_coverage: [one, two] }, ["summary: is missing"]],
    ["a blank summary", { ...good, summary: "\n" }, ["summary: must not be blank"]],
    ["an unknown key", { ...good, done: true }, ['"done"']],
    ["an unknown key inside", { ...good, ac_coverage: [{ ...one, sure: 1 }, two] }, ["ac_coverage[0]", '"sure"']],
    ["a criterion left out", { ...good, ac_coverage: [one] }, ["criterion 2 is not covered: listing works"]],
    ["a number too high", { ...good, ac_coverage: [one, { ...two, criterion: "3" }] }, ['"3"', "criterion 2"]],
    ["an integer too high", { ...good, ac_coverage: [one, { ...two, criterion: 3 }] }, ['"3"', "criterion 2"]],
    ["half a number", { ...good, ac_coverage: [one, { ...two, criterion: 1.5 }] }, ['"1.5"', "criterion 2"]],
    [
      "a truth for a number",
      { ...good, ac_coverage: [one, { ...two, criterion: true }] },
      ["ac_coverage[1].criterion"],
    ],
    [
      "a number with another's text",
      { ...good, ac_coverage: [one, { ...two, criterion: "1. listing works" }] },
      ['"1. listing works"', "criterion 2"],
    ],
    ["zero for a number", { ...good, ac_coverage: [one, { ...two, criterion: "0" }] }, ['"0"']],
    ["a paraphrase", { ...good, ac_coverage: [one, { ...two, criterion: "Listing works" }] }, ["criterion 2"]],
    [
      "prose for a pointer",
      {
        ...good,
        ac_coverage: [{ ...one, addressed_by: "it was done with care, e.g. by thinking hard about it" }, two],
      },
      ["ac_coverage[0].addressed_by"],
    ],
    ["six work-arounds", { ...good, work_arounds: [..."abcdef"] }, ["work_arounds: at most 5"]],
    [
      "two problems at once",
      { ...good, ac_coverage: [], work_arounds: [..."abcdef"] },
      ["criterion 1", "criterion 2", "work_arounds"],
    ],
    ["an array", "[]", ["one JSON object", "submit_case"]],
    ["torn arguments", '{"summary": "x', ["JSON", "submit_case"]],
    ["a novel", { ...good, summary: "x".repeat(40_000) }, ["submit_case", "over 32768 bytes"]],
  ])("is refused for %s, by name", (_, value, names) => {
    const parsed = parse(value);
    expect(parsed.ok).toBe(false);
    for (const name of names) expect(parsed.ok ? "" : parsed.problem).toContain(name);
  });

  it("may name a criterion whose own text looks like a number", () => {
    const odd = { acceptance_criteria: ["1. in front", "2"] };
    const given = (...criteria: unknown[]) => ({
      ...good,
      ac_coverage: criteria.map((criterion) => ({ ...one, criterion })),
    });
    expect(parseCase(presented(given("1. in front", "2")), odd)).toMatchObject({ ok: true });
    expect(parseCase(presented(given("1. 1. in front", "2. 2")), odd)).toMatchObject({ ok: true });
  });

  it("covers every criterion and fits the ledger once it is taken, whatever was sent", () => {
    const text = fc.oneof(fc.constantFrom("1", "2", "3", " 2 ", "adding works", "a.py", ""), fc.string());
    const entry = fc.record(
      { criterion: text, addressed_by: text, evidence: fc.option(text) },
      { requiredKeys: ["criterion", "addressed_by"] },
    );
    const sent = fc.record(
      {
        summary: text,
        ac_coverage: fc.array(fc.oneof(entry, fc.constantFrom(one, two))),
        work_arounds: fc.array(text),
      },
      { requiredKeys: ["summary", "ac_coverage"] },
    );
    let taken = 0;
    fc.assert(
      fc.property(sent, (value) => {
        const parsed = parse(value);
        if (!parsed.ok) return;
        taken += 1;
        caseSchema.parse(parsed.value);
        expect(new Set(parsed.value.ac_coverage.map((each) => each.criterion))).toEqual(new Set(["1", "2"]));
        expect(parsed.value.work_arounds.length).toBeLessThanOrEqual(5);
      }),
      { numRuns: 500 },
    );
    expect(taken).toBeGreaterThan(5);
  });
});
