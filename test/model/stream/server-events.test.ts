import fc from "fast-check";
import { expect, test } from "vitest";
import { ServerEvents } from "../../../runner/model/stream/server-events.js";
import { growth } from "../../helpers/quickest.js";

function heard(...pieces: readonly string[]): readonly string[] {
  const events = new ServerEvents();
  const all = [...pieces.flatMap((piece) => events.take(piece)), ...events.end()];
  return all.map(({ name, data }) => (name === null ? data : `${name}=${data}`));
}

test.each([
  ["an event for each empty line", "data: a\n\ndata: b\n\n", ["a", "b"]],
  ["an error for a field", "error: a\n\ndata: b\n\n", ["error=a", "b"]],
  ["a name", "event: error\ndata: a\n\ndata: b\n\n", ["error=a", "b"]],
  ["no space, and only the first of two", "data:a\n\ndata:  b\n\n", ["a", " b"]],
  ["data of several lines", "data: a\ndata:\ndata: b\n\n", ["a\n\nb"]],
  ["a colon within", 'data: {"a": 1}\n\n', ['{"a": 1}']],
  ["JSON that is no event", '{"error":{"message":"no"}}\n', ['{"error":{"message":"no"}}']],
  ["comments and empty lines, which are nothing", ": ping\n\n\n:\n\ndata: a\n: ping\n\n", ["a"]],
  ["fields that nobody wants", "id: 1\nretry: 10\nsomething\ndata: a\n\n", ["a"]],
  ["events without data, which are none", "event: ping\n\ndata:\n\ndata: a\n\n", ["a"]],
  ["a last event without its empty line", "data: a\n\ndata: b\n", ["a", "b"]],
  ["a last line without its end", "data: a\n\ndata: b", ["a", "b"]],
  ["nothing at all", "", []],
])("the events of a text are right with %s", (_, text, events) => {
  expect(heard(text)).toEqual(events);
});

test.each(["\r\n", "\r"])("lines may end with %j", (end) => {
  expect(heard("data: a\ndata: b\n\n: x\n\ndata: c\n\n".replaceAll("\n", end))).toEqual(["a\nb", "c"]);
});

test("it makes no difference where a text is cut into pieces", () => {
  const lines = fc.array(fc.constantFrom("data: a", "data", "data:é", "event: x", ": c", "", "", "id: 1"));
  const ends = fc.constantFrom("\n", "\r\n", "\r");
  fc.assert(
    fc.property(fc.array(fc.tuple(lines, ends)), fc.array(fc.nat(200)), (blocks, cuts) => {
      const text = blocks.map(([block, end]) => block.map((line) => line + end).join("")).join("");
      const at = [0, ...cuts.filter((cut) => cut < text.length).sort((one, other) => one - other), text.length];
      const pieces = at.slice(1).map((end, nth) => text.slice(at[nth], end));
      expect(heard(...pieces)).toEqual(heard(text));
    }),
  );
});

test("a line of many megabytes is joined once, not with each of its pieces", () => {
  const piece = "x".repeat(1_024);
  const take = (pieces: number) => {
    const events = new ServerEvents();
    events.take("data: ");
    for (let at = 0; at < pieces; at += 1) events.take(piece);
    expect(events.take("\n\n")[0]?.data).toHaveLength(pieces * 1_024);
  };
  expect(growth(take, 1_000, 20_000, 60)).toBeLessThanOrEqual(60);
});
