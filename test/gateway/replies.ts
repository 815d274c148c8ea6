import type { Turn } from "../../runner/demo/script/script.js";
import { scriptedModels } from "../../runner/demo/script/script.js";
import type { AnthropicModel } from "./anthropic-model.js";
import { claudes } from "./anthropic-request.js";

type Wire = "openai" | "anthropic";

/** Each number is used for one thing only, so that it is recognised wherever it turns up. */
export const numbers = {
  prompt: 2000,
  cached: 1664,
  written: 236,
  completion: 50,
  thought: "The files come first, then what is in them.",
} as const;

export const called: Turn = {
  calls: [
    ["bash", { command: "ls" }],
    ["bash", { command: "pwd" }],
  ],
  content: "Looking around.",
  reasoning: numbers.thought,
};

const signature = "c2lnbmF0dXJlIG9mIGEgdGhvdWdodA==";
const longId = `call_${"x".repeat(200)}`;

/** A call with parts that only some providers send, and those parts, which they want back. */
export const foreign = {
  call: {
    id: longId,
    type: "function",
    function: { name: "bash", arguments: "{}" },
    extra_content: { google: { thought_signature: signature } },
  },
  parts: [signature, longId],
};

export function refused(seconds: number): Turn {
  return { status: 429, headers: { "retry-after": String(seconds) } };
}

export function contextFull(dialect: Wire): Turn {
  const openai = {
    message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    type: "invalid_request_error",
    param: "messages",
    code: "context_length_exceeded",
  };
  const anthropic = { type: "invalid_request_error", message: "prompt is too long: 209353 tokens > 200000 maximum" };
  return { status: 400, body: dialect === "openai" ? { error: openai } : { type: "error", error: anthropic } };
}

/** A whole body, for replies that a turn cannot describe. */
export function billed(dialect: Wire): Turn {
  return { status: 200, body: dialect === "openai" ? completion() : message() };
}

/** A reply after which the provider allows no more requests for that many seconds. */
export function usedUp(dialect: Wire, seconds: number): Turn {
  const openai = {
    "x-ratelimit-limit-requests": "60",
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-reset-requests": `${seconds}s`,
  };
  const anthropic = () => ({
    "anthropic-ratelimit-requests-limit": "60",
    "anthropic-ratelimit-requests-remaining": "0",
    "anthropic-ratelimit-requests-reset": new Date(Date.now() + seconds * 1_000).toISOString(),
  });
  const body = dialect === "openai" ? completion() : message();
  return () => ({ status: 200, headers: dialect === "openai" ? openai : anthropic(), body });
}

function completion(): unknown {
  const { prompt, cached, completion } = numbers;
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: scriptedModels.worker,
    choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: 37 },
    },
  };
}

function message(): unknown {
  const { prompt, cached, written, completion } = numbers;
  return {
    id: "msg_01",
    type: "message",
    role: "assistant",
    model: claudes.told.worker,
    content: [{ type: "text", text: "Hello." }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: prompt - cached - written,
      cache_creation_input_tokens: written,
      cache_read_input_tokens: cached,
      output_tokens: completion,
    },
  };
}

/** A reply with thinking that only its model can read, and that thinking. */
export function unreadable({ signatures, requests }: AnthropicModel): { data: string; body: unknown } {
  const after = requests.at(-1);
  if (after === undefined) throw new Error("nobody has asked yet");
  const thought = signatures.redacted(after);
  const body = {
    ...{ id: "msg_02", type: "message", role: "assistant", model: after.model, stop_reason: "tool_use" },
    content: [thought, { type: "tool_use", id: "toolu_01", name: "bash", input: {} }],
    usage: { input_tokens: 100, output_tokens: 20 },
  };
  return { data: String(thought.data), body };
}
