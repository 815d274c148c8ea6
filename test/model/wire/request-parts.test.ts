import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../../runner/model/port/model-client.js";
import type { Fields } from "../../../runner/model/wire/fields.js";
import { type JsonPieces, RequestParts } from "../../../runner/model/wire/request-parts.js";

const message = (content: string): Message => ({ role: "user", content });
const textOf = ({ pieces }: JsonPieces) => Buffer.concat(pieces).toString("utf8");
const asSent = (text: string | undefined) => Buffer.from(text ?? "").toString("utf8");

describe("the body of a request", () => {
  it("is what JSON.stringify makes of it, whatever was written before, and stays so", () => {
    const field = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.array(fc.oneof(fc.jsonValue(), fc.object())));
    const bodies = fc.array(fc.dictionary(fc.constantFrom("a", "b", "messages", "tools"), field), { maxLength: 6 });
    fc.assert(
      fc.property(bodies, (all) => {
        const parts = new RequestParts();
        const written = all.map((body) => parts.written(body));
        expect(written.map(textOf)).toEqual(all.map((body) => asSent(JSON.stringify(body))));
        expect(written.map(({ chars }) => chars)).toEqual(all.map((body) => JSON.stringify(body).length));
      }),
    );
  });

  it("goes on from the one before, and from any item of it", () => {
    const item = fc.record({ content: fc.string({ unit: "binary", maxLength: 9_000 }) });
    const cuts = fc.array(fc.record({ keep: fc.nat(12), more: fc.array(item, { maxLength: 6 }) }), { maxLength: 9 });
    fc.assert(
      fc.property(cuts, (steps) => {
        const parts = new RequestParts();
        let items: readonly Fields[] = [];
        const lists = steps.map(({ keep, more }) => {
          items = [...items.slice(0, keep), ...more];
          return { items, written: parts.written({ model: "m", messages: items, n: 1 }) };
        });
        for (const { items: given, written } of lists)
          expect(textOf(written)).toBe(asSent(JSON.stringify({ model: "m", messages: given, n: 1 })));
      }),
    );
  });

  it("leaves out what JSON has no word for, and holds null for it in a list", () => {
    const body = { none: undefined, list: [undefined, 1, "ü"], call: () => 1 };
    expect(textOf(new RequestParts().written(body))).toBe(JSON.stringify(body));
  });
});

describe("the messages of a request", () => {
  const [one, two, three] = [message("one"), message("two"), message("three")];

  it("are encoded once while they stay the same from the start, and again for another provider", () => {
    const parts = new RequestParts();
    const seen: string[] = [];
    const encode = (given: Message) => {
      seen.push(String(given.content));
      return [{ content: given.content }, { nth: seen.length }];
    };
    const first = parts.messages([one, two], "here", encode);
    expect(parts.messages([one, two, three], "here", encode).slice(0, 4)).toEqual(first);
    expect(seen).toEqual(["one", "two", "three"]);
    const folded = parts.messages([one, { ...two }, three], "here", encode);
    expect(folded.map(({ nth }) => nth)).toEqual([undefined, 1, undefined, 4, undefined, 5]);
    parts.messages([one], "there", encode);
    expect(seen.slice(5)).toEqual(["one"]);
  });
});
