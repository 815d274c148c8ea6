import fc from "fast-check";
import { expect, it } from "vitest";
import { repeatedKey } from "../../runner/text/repeated-key.js";
import { quickest } from "../helpers/quickest.js";

it.each<[string, string | null]>([
  ['{"a": 1, "a": 2}', "a"],
  ['[{"a": 1}, {"b": {"c": [], "d": "x", "c" : 0}}]', "c"],
  [String.raw`{"verdict": "reject", "verd\u0069ct": "accept"}`, "verdict"],
  ['{"": 1, "": 2}', ""],
  ['{"__proto__": 1, "__proto__": 2}', "__proto__"],
  [String.raw`{"a\\": 1, "a\\": 2}`, String.raw`a\ `.trim()],
  ['{"a": {"a": {"a": ["a", "a"]}}, "b": [{"a": 1}, {"a": 1}]}', null],
  [String.raw`{"a": "\"a\": 1, \"a\": 2", "b": "\\", "c": "a"}`, null],
  ['["a", "a"]', null],
  ['"a"', null],
  ["5", null],
])("the repeated key in %s is %j", (json, found) => {
  expect(repeatedKey(json)).toBe(found);
});

it("no key repeats in what was written from a value, however deep, and one does in what was written twice", () => {
  const key = fc.oneof(fc.string(), fc.constantFrom("\\", '"', '\\"', ":", "{", "__proto__"));
  const entries = fc.dictionary(key, fc.jsonValue(), { minKeys: 1 });
  fc.assert(
    fc.property(entries, fc.constantFrom(undefined, 2), (value, indent) => {
      const json = JSON.stringify(value, null, indent);
      expect(repeatedKey(json)).toBeNull();
      const twice = `${json.trimEnd().slice(0, -1)},${JSON.stringify(Object.keys(value)[0])}:0}`;
      expect(repeatedKey(twice)).toBe(Object.keys(value)[0]);
    }),
  );
});

it("a text of many megabytes is searched without delay", async () => {
  const json = JSON.stringify({ a: 'x"\\'.repeat(2e6), b: Array.from({ length: 1e5 }, (_, n) => ({ n })) });
  expect(await quickest(() => expect(repeatedKey(json)).toBeNull(), 5_000)).toBeLessThan(5_000);
});
