import { expect, test } from "vitest";
import { isWildcard } from "../../runner/checks/wildcards.js";

test.each([
  "`AnyText` equals every text.",
  "Build a matcher. AnyText is a wildcard, for places where a test does not mind.",
  "isinstance(x, AnyText) takes anything: instances of AnyText are all objects",
])("a task asks for a value that agrees with everything: %s", (text) => {
  expect(isWildcard("AnyText", ["something else", text])).toBe(true);
});

test.each([
  "AnyText holds a text. Every text equals itself.",
  "A Basket equals every other.",
  "AnyTexts equal everything.",
  "AnyText is a text.",
  "",
])("a task does not ask for a value that agrees with everything: %s", (text) => {
  expect(isWildcard("AnyText", [text])).toBe(false);
});

test("a pattern is no name that a task could ask for", () => {
  expect(isWildcard(".*", ["Every .* equals everything."])).toBe(false);
});
