import fc from "fast-check";
import { expect, it } from "vitest";
import { PromptSize } from "../../../runner/dialogue/transcript/prompt-size.js";
import type { Message } from "../../../runner/model/port/model-client.js";

const tools = [{ name: "bash", description: "Runs a command.", parameters: {} }];

it("a prompt's size is the length of its JSON, whichever prompts were measured before", () => {
  const text = fc.string({ unit: "binary", maxLength: 50 });
  const steps = fc.array(fc.record({ keep: fc.nat(9), more: fc.array(text, { minLength: 1, maxLength: 4 }) }));
  fc.assert(
    fc.property(steps, (all) => {
      const size = new PromptSize(tools);
      let messages: readonly Message[] = [];
      for (const { keep, more } of all) {
        messages = [...messages.slice(0, keep), ...more.map((content) => ({ role: "user" as const, content }))];
        const chars = JSON.stringify(tools).length + JSON.stringify(messages).length;
        size.learn(messages, chars);
        expect(size.tokensOf(messages)).toBe(chars);
      }
    }),
  );
});
