import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseVerdict } from "../../runner/dialogue/verdict.js";
import { rejectionCategory } from "../../runner/session/log/events/verdicts.js";

type Call = readonly [name: string, args: unknown];

const accept = { verdict: "accept", rejection_category: null, concern: "sound", evidence: [], next_step: null };
const reject = {
  verdict: "reject",
  rejection_category: "weak_test",
  concern: "nothing shows it",
  evidence: ["tests/test_x.py:3"],
  next_step: "add a test to tests/test_x.py",
};
const without = (value: object, key: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));

function reply(calls: readonly Call[], more: { content?: string; finishReason?: string } = {}) {
  return {
    message: {
      role: "assistant" as const,
      content: more.content ?? null,
      calls: calls.map(([name, args], index) => ({
        id: `c${index}`,
        name,
        arguments: typeof args === "string" ? args : JSON.stringify(args),
      })),
      own: null,
    },
    finishReason: more.finishReason ?? "tool_calls",
  };
}

/** Builds JSON that has a key twice, which an object cannot have; parsers keep the last. */
const twice = (key: string, first: unknown, args: object) =>
  JSON.stringify(args).replace("{", `{${JSON.stringify(key)}:${JSON.stringify(first)},`);
const verdict = (args: unknown) => reply([["submit_verdict", args]]);

describe("a verdict", () => {
  it.each([
    ["nulls", accept],
    ["keys left out", without(without(accept, "next_step"), "rejection_category")],
    ["blanks", { ...accept, rejection_category: "", next_step: " \n" }],
    ["evidence", { ...accept, evidence: ["a.py:1"] }],
  ])("accepts with %s", (_, args) => {
    const parsed = parseVerdict(verdict(args));
    expect(parsed).toMatchObject({ ok: true, value: { verdict: "accept", rejection_category: null, next_step: null } });
  });

  it.each(rejectionCategory.options)("rejects for %s and keeps every word", (rejection_category) => {
    const words = { ...reject, rejection_category, concern: "{braces} $& and %s", evidence: [] };
    expect(parseVerdict(verdict(words))).toEqual({ ok: true, value: words });
  });

  it("is read even with prose beside it", () => {
    expect(parseVerdict(reply([["submit_verdict", accept]], { content: "I reject this." }))).toMatchObject({
      ok: true,
    });
  });

  it.each<[string, ReturnType<typeof reply>, string]>([
    ["prose alone", reply([], { content: JSON.stringify(accept) }), "submit_verdict"],
    ["another tool", reply([["submit_case", accept]]), "submit_verdict"],
    ["a prototype's name", reply([["constructor", accept]]), "submit_verdict"],
    [
      "a wrong tool beside a right one",
      reply([
        ["bash", {}],
        ["submit_verdict", accept],
      ]),
      "only one",
    ],
    [
      "two accepts",
      reply([
        ["submit_verdict", accept],
        ["submit_verdict", accept],
      ]),
      "only one",
    ],
    [
      "an accept and a reject",
      reply([
        ["submit_verdict", accept],
        ["submit_verdict", reject],
      ]),
      "only one",
    ],
    [
      "a torn call beside a whole one",
      reply([
        ["submit_verdict", accept],
        ["submit_verdict", '{"ver'],
      ]),
      "JSON",
    ],
    ["a reply cut at its length", reply([["submit_verdict", accept]], { finishReason: "length" }), "cut off"],
    ["an array", verdict("[]"), "submit_verdict"],
    ["nothing in it", verdict({}), "verdict: is missing"],
    ["an unknown word", verdict({ ...accept, verdict: "Accept" }), "verdict: "],
    ["no concern", verdict(without(accept, "concern")), "concern: is missing"],
    ["a blank concern", verdict({ ...accept, concern: " " }), "concern: "],
    ["evidence as text", verdict({ ...accept, evidence: "a.py" }), "evidence: "],
    ["no evidence at all", verdict(without(accept, "evidence")), "evidence: is missing"],
    ["an unknown key", verdict({ ...accept, score: 1 }), '"score"'],
    ["two verdicts in one", verdict(twice("verdict", "reject", accept)), '"verdict" twice'],
    ["an accept named twice", verdict(twice("verdict", "accept", accept)), '"verdict" twice'],
    ["an accept with a category", verdict({ ...accept, rejection_category: "weak_test" }), "rejection_category: "],
    ["an accept with a word for no category", verdict({ ...accept, rejection_category: "none" }), "null on accept"],
    ["an accept with a next step", verdict({ ...accept, next_step: "go on" }), "next_step: "],
    ["a reject without category", verdict(without(reject, "rejection_category")), "rejection_category: "],
    ["a reject with a blank category", verdict({ ...reject, rejection_category: "" }), "rejection_category: "],
    ["a category of its own", verdict({ ...reject, rejection_category: "style" }), "rejection_category: "],
    ["a reject without next step", verdict({ ...reject, next_step: null }), "next_step: "],
    ["a flood of words", verdict({ ...accept, concern: "x".repeat(20_000) }), "over 16384 bytes"],
  ])("is refused for %s, by name", (_, spoiled, name) => {
    const parsed = parseVerdict(spoiled);
    expect(parsed.ok ? "taken" : parsed.problem).toContain(name);
  });

  it("is an accept only when one whole call says exactly that, whatever else came", () => {
    const field = fc.oneof(
      fc.constantFrom(null, "", "accept", "reject", "weak_test", [], ["a"]),
      fc.string(),
      fc.jsonValue(),
    );
    const args = fc.oneof(
      fc.dictionary(fc.constantFrom(...Object.keys(accept), "extra"), field),
      fc.record({
        ...Object.fromEntries(Object.keys(accept).map((key) => [key, field])),
        verdict: fc.constant("accept"),
      }),
      fc.constantFrom(accept, accept, reject),
      fc.jsonValue(),
      fc.string(),
    );
    const name = fc.constantFrom(...Array<string>(4).fill("submit_verdict"), "submit_case", "toString");
    const calls = fc.array(fc.tuple(name, args), {
      maxLength: 3,
    });
    let accepted = 0;
    fc.assert(
      fc.property(calls, fc.constantFrom("stop", "tool_calls", "length"), (made, finishReason) => {
        const parsed = parseVerdict(reply(made, { finishReason, content: "accept" }));
        if (!parsed.ok || parsed.value.verdict !== "accept") return;
        accepted += 1;
        expect(made).toHaveLength(1);
        expect(finishReason).not.toBe("length");
        expect(made[0]?.[0]).toBe("submit_verdict");
        const given = made[0]?.[1];
        const said = typeof given === "string" ? JSON.parse(given) : given;
        expect(said).toMatchObject({ verdict: "accept" });
        expect(parsed.value).toMatchObject({ rejection_category: null, next_step: null });
      }),
      { numRuns: 2_000 },
    );
    expect(accepted).toBeGreaterThan(5);
  });
});
