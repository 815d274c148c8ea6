import fc from "fast-check";
import { expect, test } from "vitest";
import { harmlessJson, harmlessLine } from "../../../cli/page/harmless.js";

const acting =
  /[<\p{Cc}\u2028\u2029\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

test("any text comes back unchanged, and its encoded form can neither end a script nor act", () => {
  const unit = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("</script>", "<!--", "\u202e", "\u{e0041}", "\u0085", "\r\n"),
  );
  fc.assert(
    fc.property(
      fc.array(unit).map((parts) => parts.join("")),
      (text) => {
        const json = harmlessJson(JSON.stringify({ [text]: text }));
        expect(acting.exec(json)).toBeNull();
        expect(JSON.parse(json)).toEqual({ [text]: text });
      },
    ),
  );
});

test.each([
  ['{"a":1}', '{"a":1}'],
  ['{"a":"</script>"}', '{"a":"\\u003c/script>"}'],
  ['{"a":\r1}', '{"a":1}'],
  ["torn <", '{"unreadable":"torn \\u003c"}'],
  ["", '{"unreadable":""}'],
])("the line %j is sent as %j", (line, out) => {
  expect(harmlessLine(line)).toBe(out);
});

test("only the beginning of a damaged line is sent", () => {
  expect(harmlessLine("x".repeat(1e6)).length).toBeLessThan(3_000);
});
