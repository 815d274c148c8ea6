import { describe, expect, it } from "vitest";
import { checkReport, noTree, rejection, withLeftOut } from "../../runner/dialogue/feedback.js";
import { diffSummary, ledgerEntry, renderLedger } from "../../runner/dialogue/ledger.js";
import { isCutOff, isEmpty } from "../../runner/dialogue/reply.js";
import { ledgerEntrySchema, type Verdict } from "../../runner/session/log/events/verdicts.js";

const verdict: Verdict = {
  verdict: "reject",
  rejection_category: "weak_test",
  concern: "C {{category}} {braces} $& $1 and %s",
  evidence: ["E1 $'", "E2 {{concern}}"],
  next_step: "N $$",
};
const presented = { summary: "did it", ac_coverage: [], work_arounds: [], uncertainties: [] };
const change = (status: "added" | "modified", path: string) => ({ status, path, mode: "100644", oid: "", oldOid: "" });

describe("the worker's feedback", () => {
  it("has every word of a rejection unchanged", () => {
    const told = rejection(verdict);
    for (const words of ["weak_test", verdict.concern, ...verdict.evidence, "N $$"]) expect(told).toContain(words);
  });

  it("names only the failed checks, each within 2 KB, and the notes", () => {
    const check = {
      name: "pytest",
      passed: false,
      reason: "test_failed",
      output: `first\n${"x".repeat(9_000)}\nlast`,
      ms: 1,
    };
    const told = checkReport([check, { ...check, name: "ruff", passed: true }], ["conftest.py changed"]);
    for (const words of ["pytest: failed (test_failed)", "first", "last", "the middle is cut", "conftest.py changed"])
      expect(told).toContain(words);
    expect(told).not.toContain("ruff");
    expect(told.length).toBeLessThan(2_500);
  });

  it("names what prevents a tree, and what was left out of it", () => {
    expect(noTree([{ path: "pipe", why: "a FIFO" }])).toContain("- pipe: a FIFO");
    expect(withLeftOut("told", ["a.log"])).toMatch(/^told\n\n.*\n- a\.log/);
    expect(withLeftOut("told", [])).toBe("told");
  });
});

describe("the ledger", () => {
  it("says which files changed", () => {
    expect(diffSummary([change("added", "a.py"), change("modified", "b.py")])).toBe(
      "2 files: 1 added, 1 modified (added a.py, modified b.py)",
    );
    expect(diffSummary([])).toBe("no files changed");
    expect(diffSummary(Array.from({ length: 50 }, (_, i) => change("added", `${i}`)))).toContain("30 more");
  });

  it("shows the last five rounds, each within bounds", () => {
    const entries = Array.from({ length: 7 }, (_, iter) =>
      ledgerEntry({ now: new Date(0), iter }, [], presented, { ...verdict, concern: `c${iter} ${"x".repeat(9_000)}` }),
    );
    for (const entry of entries) ledgerEntrySchema.parse(entry);
    const { text, truncated } = renderLedger(entries);
    expect(truncated).toBe(true);
    expect(text.match(/: c\d /g)).toEqual([": c2 ", ": c3 ", ": c4 ", ": c5 ", ": c6 "]);
    expect(text.length).toBeLessThan(5 * 6_200);
    expect(renderLedger([])).toEqual({ text: "", truncated: false });
  });

  it("shows the verdict of a round even when its case is longer than a round may be", () => {
    const long = { ...presented, summary: `begins ${"x".repeat(20_000)}` };
    const { text, truncated } = renderLedger([ledgerEntry({ now: new Date(0), iter: 1 }, [], long, verdict)]);
    expect(truncated).toBe(true);
    for (const words of ["Case: begins", "Verdict: reject (weak_test)", verdict.concern, "N $$"])
      expect(text).toContain(words);
    expect(text.length).toBeLessThan(6_200);
  });

  it("shows the evidence that a case gave for a criterion", () => {
    const ac_coverage = [{ criterion: "1", addressed_by: "a.py:f", evidence: "tests/test_a.py::test_f" }];
    const { text } = renderLedger([
      ledgerEntry({ now: new Date(0), iter: 1 }, [], { ...presented, ac_coverage }, verdict),
    ]);
    expect(text).toContain("criterion 1: a.py:f (evidence: tests/test_a.py::test_f)");
  });
});

describe("a reply", () => {
  const reply = (over: object = {}, hasReasoned = false) => ({
    message: { role: "assistant" as const, content: null, calls: [], own: null, ...over },
    hasReasoned,
    finishReason: "stop",
  });
  const call = (args: string) => ({ id: "c", name: "bash", arguments: args });

  it("is empty only when it holds nothing at all", () => {
    expect(isEmpty(reply())).toBe(true);
    expect(isEmpty(reply({ content: " \n" }))).toBe(true);
    expect(isEmpty(reply({ content: "x" }))).toBe(false);
    expect(isEmpty(reply({}, true))).toBe(false);
    expect(isEmpty(reply({ calls: [call("{}")] }))).toBe(false);
    expect(isEmpty({ ...reply(), finishReason: "length" })).toBe(false);
  });

  it("is cut off when it hits the length limit, or when one of its calls is torn", () => {
    expect(isCutOff({ ...reply({ calls: [call("{}")] }), finishReason: "length" })).toBe(true);
    expect(isCutOff(reply({ calls: [call("{}"), call('{"a')] }))).toBe(true);
    expect(isCutOff(reply({ calls: [call("{}"), call("[]")] }))).toBe(false);
  });
});
