import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../../runner/model/port/model-client.js";
import { RequestParts } from "../../../runner/model/wire/request-parts.js";

const by = { provider: "here", theirId: undefined };
const message: Message = { role: "user", content: "Go on." };

describe("the parts of a request", () => {
  it("are written as JSON.stringify writes them, the second time too", () => {
    const parts = new RequestParts();
    const body = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.array(fc.jsonValue())));
    fc.assert(
      fc.property(body, (given) => {
        for (const text of [JSON.stringify(given), JSON.stringify({ ...given })]) {
          const { bytes, chars } = parts.written(given);
          expect([bytes.toString("utf8"), chars]).toEqual([new TextDecoder().decode(Buffer.from(text)), text.length]);
        }
      }),
    );
  });

  it("leave out what JSON has no word for, and write null for it in a list", () => {
    const body = { none: undefined, list: [undefined, 1, "ü"], call: () => 1 };
    expect(new RequestParts().written(body).bytes.toString("utf8")).toBe(JSON.stringify(body));
  });

  it("are encoded once for a provider, and again for another one or where the id of the call is another", () => {
    const parts = new RequestParts();
    const made: number[] = [];
    const encode = () => [{ nth: made.push(0) }];
    const first = parts.encoded(message, by, encode);
    expect(parts.encoded(message, by, encode)).toBe(first);
    expect(parts.encoded(message, { ...by, provider: "there" }, encode)).toEqual([{ nth: 2 }]);
    expect(parts.encoded(message, by, encode)).toEqual([{ nth: 3 }]);
    expect(parts.encoded(message, { ...by, theirId: "call_9" }, encode)).toEqual([{ nth: 4 }]);
  });
});
