import { expect, it } from "vitest";
import { shownOwn } from "../../runner/dialogue/shown-own.js";
import { eventPayloads } from "../../runner/session/log/events.js";
import { modelCall } from "../session/event-fixtures.js";

it("short words are shown as they are; what is signed, sealed or long is shown as its hash", () => {
  const shown = shownOwn({
    by: "x",
    fields: {
      thinking_blocks: [{ type: "thinking", thinking: "so", signature: "abc" }],
      reasoning_details: [{ data: "sealed", index: 0 }],
      long: "y".repeat(121),
    },
    calls: [{ extra_content: { google: { thought_signature: "abc" } } }, {}],
  });
  const abc = "sha256:ba7816bf (3 characters)";
  expect(shown).toEqual({
    thinking_blocks: [{ type: "thinking", thinking: "so", signature: abc }],
    reasoning_details: [{ data: expect.stringMatching(/^sha256:[0-9a-f]{8} \(6 characters\)$/), index: 0 }],
    long: expect.stringMatching(/\(121 characters\)$/),
    calls: [{ extra_content: { google: { thought_signature: abc } } }, {}],
  });
});

it("a number too large for the log is shown as null", () => {
  const fields = JSON.parse('{"score": 1e999, "list": [-1e999, 1]}');
  const shown = shownOwn({ by: "x", fields, calls: [fields] });
  const kept = { score: null, list: [null, 1] };
  expect(shown).toEqual({ ...kept, calls: [kept] });
  expect(() => eventPayloads.model_call.parse(modelCall("T-001", 1, { own_fields: shown }))).not.toThrow();
});
