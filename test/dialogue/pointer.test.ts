import { describe, expect, it } from "vitest";
import { isPointer } from "../../runner/dialogue/case.js";

const remark = "and that goes on for quite a few words more";

describe("a pointer", () => {
  it.each([
    "src/app.py",
    "src\\app.py",
    "docs/ünï.md",
    "pkg/",
    "a.py",
    "a.py:main()",
    "app.main()",
    ".gitignore",
    ".env.example",
    "**src/app.py**",
    "<app.py>",
    "(app.py).",
    "app.py#L12",
    "app.py::test_it",
  ])("may be %s with a long remark", (path) => {
    expect(isPointer(`${path} ${remark}`)).toBe(true);
    expect(isPointer(`${remark} ${path}`)).toBe(true);
  });

  it.each(["e.g.", "i.e.", "(e.g.,", "done.", "3.11", "well...", "...so"])("is not made by %s", (word) => {
    expect(isPointer(`${word} ${remark}`)).toBe(false);
  });

  it("may be anything under eight words", () => {
    expect(isPointer("one two three four five six seven")).toBe(true);
    expect(isPointer("one two three four five six seven eight")).toBe(false);
  });
});
