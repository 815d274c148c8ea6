import { expect, test } from "vitest";
import { z } from "zod";
import { boundedJson, listOf } from "../../runner/text/bounded-json.js";

const bytes = (text: string) => Buffer.from(text);

test("millions of empty lists in a few megabytes are refused, and as much text is read", () => {
  const bomb = `[${"[],".repeat(1_000_000)}[]]`;
  expect(JSON.parse(bomb)).toHaveLength(1_000_001);
  expect(boundedJson(bytes(bomb), 1_000_000)).toBeNull();
  const text = JSON.stringify([bomb, '\\"[,', "größe"]);
  expect(boundedJson(bytes(text), 10)).toEqual([bomb, '\\"[,', "größe"]);
});

test.each([
  ["[1,2,3]", 3, [1, 2, 3]],
  ["[1,2,3]", 2, null],
  ['{"a":{"b":[1]}}', 3, { a: { b: [1] } }],
  ['{"a":{"b":[1]}}', 2, null],
  ['"\\\\","', 9, null],
  ["{", 9, null],
  ["", 9, null],
])("%s with a bound of %i gives %j", (text, most, value) => {
  expect(boundedJson(bytes(text), most)).toEqual(value);
});

test("a list is refused at its first item of another kind, with its place", () => {
  const asked: unknown[] = [];
  const text = z.custom<string>((value) => asked.push(value) > 0 && typeof value === "string");
  const wrong = [...["a", 1], ...Array.from({ length: 100 }, () => 2)];
  const naive = z.array(text).safeParse(wrong);
  expect(naive.error?.issues).toHaveLength(101);
  asked.length = 0;
  const { error } = listOf(text).safeParse(wrong);
  expect([asked, error?.issues.map(({ path }) => path)]).toEqual([["a", 1], [[1]]]);
  expect(listOf(text).parse(["a", "b"])).toEqual(["a", "b"]);
  expect(listOf(text).safeParse("a").success).toBe(false);
});
