import { describe, expect, it } from "vitest";
import { Interrupted } from "../../../runner/base/errors.js";
import { ContextFull, type ModelClient, type Retry } from "../../../runner/model/port/model-client.js";
import { Asking, question } from "../../helpers/asking.js";
import { FakeModelClient, type FakeTurn } from "../../helpers/fake-model-client.js";
import { endpointsOf, startModel, type Turn } from "../../helpers/scripted-model.js";

/** The same turn in the form that each side plays. */
interface PlayedTurn {
  readonly wire: readonly Turn[];
  readonly fake: readonly FakeTurn[];
}

type Use = (client: ModelClient) => Promise<void>;

const sides: Readonly<Record<string, (played: PlayedTurn, use: Use) => Promise<void>>> = {
  "the adapter": async ({ wire }, use) => {
    await using model = await startModel({ worker: wire });
    await use(new Asking(endpointsOf(model.baseUrl)).client);
  },
  "the fake": async ({ fake }, use) => use(new FakeModelClient({ worker: fake })),
};

function ask(client: ModelClient, signal: AbortSignal, retries: Retry[] = []) {
  return client.complete(question, { signal, onRetry: (retry) => retries.push(retry), onLeftOut: () => undefined });
}

describe.each(Object.keys(sides))("a model client (%s)", (name) => {
  const side = sides[name] ?? (() => Promise.reject(new Error(name)));
  const { signal } = new AbortController();

  it("gives calls with their raw arguments, content, reasoning and usage", async () => {
    const turn = { calls: [["bash", '{"command": "ls"']], content: "looking", reasoning: "why not" } as const;
    await side({ wire: [turn], fake: [turn] }, async (client) => {
      const reply = await ask(client, signal);
      const [call] = reply.message.calls;
      expect(call).toEqual({ id: expect.stringMatching(/./), name: "bash", arguments: '{"command": "ls"' });
      expect(reply).toMatchObject({
        message: { role: "assistant", content: "looking", own: { fields: { reasoning: "why not" } } },
        reasoningText: "why not",
        finishReason: "tool_calls",
        usage: { promptTokens: 100, evalTokens: 20, estimated: false },
        cost: null,
      });
    });
  });

  it("takes an empty reply for a reply", async () => {
    await side({ wire: [{ empty: true }], fake: [{}] }, async (client) => {
      expect((await ask(client, signal)).message).toEqual({
        role: "assistant",
        content: null,
        calls: [],
        own: null,
      });
    });
  });

  it("reports a retry before the reply comes", async () => {
    const retries = [{ attempt: 1, reason: "HTTP 503", waitMs: 1 }];
    await side({ wire: [{ status: 503 }, { quiet: "x" }], fake: [{ content: "x", retries }] }, async (client) => {
      const told: Retry[] = [];
      await ask(client, signal, told);
      expect(told).toEqual([{ attempt: 1, reason: expect.stringContaining("503"), waitMs: expect.any(Number) }]);
    });
  });

  it("throws ContextFull for a full context", async () => {
    await side({ wire: [{ status: 413 }], fake: [new ContextFull("full")] }, async (client) => {
      await expect(ask(client, signal)).rejects.toBeInstanceOf(ContextFull);
    });
  });

  it("throws Interrupted for an abort, before and during the question", async () => {
    await side({ wire: [{ hang: true }], fake: ["hang", "hang"] }, async (client) => {
      await expect(ask(client, AbortSignal.timeout(50))).rejects.toBeInstanceOf(Interrupted);
      await expect(ask(client, AbortSignal.abort())).rejects.toBeInstanceOf(Interrupted);
    });
  });
});
