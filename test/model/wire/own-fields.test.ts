import { describe, expect, it } from "vitest";
import type { WireMessage } from "../../../runner/demo/script/script.js";
import { shownOwn } from "../../../runner/dialogue/shown-own.js";
import type { AssistantMessage, Message } from "../../../runner/model/port/model-client.js";
import type { Role } from "../../../runner/settings/endpoints.js";
import { Asking, question } from "../../helpers/asking.js";
import { canaryKey, endpointsOf, startModel } from "../../helpers/scripted-model.js";

const signature = "c2lnbmVk".repeat(40);
const call = (id: string, more: object = {}, inside: object = {}) => ({
  id,
  type: "function",
  ...more,
  function: { name: "bash", arguments: '{"command":"ls"}', ...inside },
});

/**
 * Gets a message from the worker's provider, and gives the form in which the next request sends it back with answers to
 * its calls.
 */
async function thereAndBack(message: object, next: Role = "worker") {
  await using model = await startModel({ worker: [{ message }] });
  const asking = new Asking(endpointsOf(model.baseUrl));
  const reply = await asking.ask();
  const answers = reply.message.calls.map(({ id }): Message => ({ role: "tool", callId: id, content: "done" }));
  await asking.ask({ role: next, messages: [...question.messages, reply.message, ...answers] });
  const [, back, ...results] = (model.requests.at(-1)?.messages ?? []) as (WireMessage & Record<string, unknown>)[];
  return { reply, back, results };
}

describe("a provider's own data in a message", () => {
  it.each<[string, object]>([
    ["reasoning in words", { content: "x", reasoning: "why", reasoning_content: "why" }],
    [
      "reasoning that is sealed",
      { content: "x", reasoning_details: [{ type: "reasoning.encrypted", data: signature }] },
    ],
    ["thinking blocks", { content: null, thinking_blocks: [{ thinking: "so", signature }, { redacted: "y" }] }],
    ["fields that nobody knows", { content: "x", provider_specific_fields: { a: [1, { b: true }] }, annotations: [] }],
    [
      "content in parts",
      {
        content: [
          { type: "thinking", thinking: [{ text: "so" }] },
          { type: "text", text: "x" },
        ],
      },
    ],
    ["a refusal", { content: null, refusal: "I will not." }],
  ])("goes back as it came: %s", async (_, fields) => {
    const tool_calls = [call("a")];
    const { back } = await thereAndBack({ role: "assistant", ...fields, tool_calls });
    expect(back).toEqual({ role: "assistant", ...fields, tool_calls });
  });

  it("goes back with an empty text beside DeepSeek's thoughts, because null is refused there", async () => {
    const fields = { reasoning_content: "", tool_calls: [call("a")] };
    const { back } = await thereAndBack({ role: "assistant", content: null, ...fields });
    expect(back).toEqual({ role: "assistant", content: "", ...fields });
  });

  it("goes back with each call: a signature on the first, fields inside the function, an index", async () => {
    const tool_calls = [
      call("a", { extra_content: { google: { thought_signature: signature } }, index: 0 }),
      call("b", { index: 1 }, { strict: true }),
    ];
    const { back } = await thereAndBack({ role: "assistant", content: null, tool_calls });
    expect(back?.tool_calls).toEqual(tool_calls);
  });

  it("has a long id for the provider that gave it, and a short one for the log and every other provider", async () => {
    const long = `call_1__thought__${signature}`;
    const message = { role: "assistant", content: null, tool_calls: [call(long), call("b")] };
    const same = await thereAndBack(message);
    const [short] = same.reply.message.calls.map(({ id }) => id);
    expect(short).toMatch(/^call_[0-9a-f]{24}$/);
    expect(same.back?.tool_calls?.map(({ id }) => id)).toEqual([long, "b"]);
    expect(same.results.map((result) => result.tool_call_id)).toEqual([long, "b"]);
    expect(JSON.stringify(shownOwn(own(same.reply.message)))).not.toContain(signature);

    const other = await thereAndBack(message, "evaluator");
    const ids = other.reply.message.calls.map(({ id }) => id);
    expect(other.back?.tool_calls?.map(({ id }) => id)).toEqual(ids);
    expect(other.results.map((result) => result.tool_call_id)).toEqual(ids);
  });

  it("has a long id only once when it comes again in the reply or later", async () => {
    const long = "x".repeat(50);
    await using model = await startModel({
      worker: [0, 1].map(() => ({ message: { content: null, tool_calls: [call(long), call(long)] } })),
    });
    const asking = new Asking(endpointsOf(model.baseUrl));
    const { message } = await asking.ask();
    const again = await asking.ask({ messages: [...question.messages, message] });
    await asking.ask({ messages: [...question.messages, message, again.message] });
    const ids =
      model.requests.at(-1)?.messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? []) ?? [];
    expect(ids.filter((id) => id === long)).toHaveLength(1);
    expect(new Set(ids).size).toBe(4);
  });

  it("goes to that provider alone, and another one gets the plain message", async () => {
    const tool_calls = [call("a", { extra_content: { google: { thought_signature: signature } } })];
    const message = { role: "assistant", content: [{ type: "text", text: "x" }], thinking_blocks: [{}], tool_calls };
    const { back } = await thereAndBack(message, "evaluator");
    expect(back).toEqual({ role: "assistant", content: "x", tool_calls: [call("a")] });
  });

  it("leaves out nulls, and a role or a kind of call that does not exist", async () => {
    const message = {
      role: "model",
      content: "x",
      audio: null,
      function_call: null,
      tool_calls: [call("a", { type: 7 })],
    };
    const { back } = await thereAndBack(message);
    expect(back).toEqual({ role: "assistant", content: "x", tool_calls: [call("a")] });
  });

  it("holds no key, wherever the endpoint put it", async () => {
    const { reply, back } = await thereAndBack({
      thinking_blocks: [{ thinking: canaryKey, [canaryKey]: 1 }],
      content: [{ type: "text", text: canaryKey }],
      tool_calls: [call("a", { extra_content: canaryKey }), call(`${canaryKey}${"x".repeat(40)}`)],
    });
    for (const held of [reply, back, shownOwn(own(reply.message))]) {
      expect(JSON.stringify(held)).not.toContain(canaryKey);
      expect(JSON.stringify(held)).toContain("masked key");
    }
  });

  it("is bounded: the largest fields are dropped, and fields nested too deep", async () => {
    const deep = JSON.parse(`${"[".repeat(100)}${"]".repeat(100)}`);
    const message = {
      content: "x",
      small: "kept",
      large: "l".repeat(1_200_000),
      larger: "m".repeat(1_300_000),
      deep,
      tool_calls: [call("a", { extra_content: "n".repeat(10) })],
    };
    const { reply, back } = await thereAndBack(message);
    expect(reply.fieldsDropped).toEqual(["deep", "larger"]);
    expect(Object.keys(back ?? {})).toEqual(["role", "content", "tool_calls", "small", "large"]);
    expect(back?.tool_calls).toEqual(message.tool_calls);
  });
});

it("a name that is too long is bounded too, whether of a field, of a model or of a finish reason", async () => {
  const long = "n".repeat(2_000_001);
  const body = { model: long, choices: [{ message: { content: "x", [long]: 1 }, finish_reason: long }] };
  await using model = await startModel({ worker: [{ status: 200, body }] });
  const reply = await new Asking(endpointsOf(model.baseUrl)).ask();
  expect([reply.message.own, reply.fieldsDropped]).toEqual([null, [long.slice(0, 200)]]);
  expect([reply.finishReason.length, reply.model.length]).toEqual([500, 500]);
});

function own(message: AssistantMessage) {
  if (message.own === null) throw new Error("nothing of its own came with it");
  return message.own;
}

describe("a signature for another conversation", () => {
  const words = (text: string, code: string | null = null) => ({
    status: 400,
    body: { error: { type: "invalid_request_error", message: text, code } },
  });
  const bound =
    "messages.3.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
  const refusals = {
    "Anthropic's words": words(bound),
    "a gateway's around them": words(
      `litellm.BadRequestError: AnthropicException - {"message":${JSON.stringify(bound)}}`,
    ),
    "Anthropic's for a block that is not the one it gave": words(
      "messages.1.content.4: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    ),
    "Bedrock's": words(
      "messages.1.content.0: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.",
    ),
    "Google's behind OpenRouter": {
      status: 400,
      body: {
        error: {
          message: "Provider returned error",
          code: 400,
          metadata: { raw: '{\n  "error": {\n    "code": 400,\n    "message": "Corrupted thought signature."\n  }\n}' },
        },
      },
    },
    "OpenAI's code": words("The encrypted content gAAA could not be verified.", "invalid_encrypted_content"),
  };
  const thought = (n: number) => ({
    message: {
      content: null,
      thinking_blocks: [{ thinking: `${n}`, signature }],
      tool_calls: [call(`call_${n}`.padEnd(60, "x"))],
    },
  });

  it.each(Object.entries(refusals))(
    "stays away from then on, and what comes later goes back: %s",
    async (_, refusal) => {
      await using model = await startModel({ worker: [thought(1), thought(2), refusal, thought(3)] });
      const asking = new Asking(endpointsOf(model.baseUrl));
      const messages: Message[] = [...question.messages];
      for (let n = 1; n <= 4; n += 1) {
        const { message } = await asking.ask({ messages: [...messages] });
        messages.push(
          message,
          ...message.calls.map(({ id }): Message => ({ role: "tool", callId: id, content: "done" })),
        );
      }
      const sent = model.requests.map((request) =>
        request.messages.flatMap((message) =>
          "thinking_blocks" in message ? ["thinking"] : message.tool_calls ? ["bare"] : [],
        ),
      );
      expect(sent).toEqual([
        [],
        ["thinking"],
        ["thinking", "thinking"],
        ["bare", "bare"],
        ["bare", "bare", "thinking"],
      ]);
      expect(model.requests.at(-1)?.messages[1]?.tool_calls?.[0]?.id).toBe("call_1".padEnd(60, "x"));
      expect(asking.retries).toEqual([]);
    },
  );

  it("ends the question when nothing is left to leave out", async () => {
    const refusal = refusals["Anthropic's words"];
    await using model = await startModel({ worker: [thought(1), refusal, refusal] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    const { message } = await asking.ask();
    const answer: Message = { role: "tool", callId: message.calls[0]?.id ?? "", content: "done" };
    const failure = await asking.failure({ messages: [...question.messages, message, answer] });
    expect(failure).toMatchObject({ code: "infra", message: expect.stringContaining("different conversation") });
    expect(model.requests).toHaveLength(3);
  });
});
