import type { ScriptedCall, SpokenTurn } from "./script/script.js";

/** Builds the chat completion for a turn. */
export function completionOf(turn: SpokenTurn, model: string, nextId: () => number): Record<string, unknown> {
  const { message, finish } = spoken(turn, nextId);
  const usage = turn.usage === undefined ? { prompt: 100, completion: 20 } : turn.usage;
  return {
    id: `chatcmpl-${nextId()}`,
    object: "chat.completion",
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason: turn.finish ?? finish }],
    ...(usage === null ? {} : { usage: usageOf(usage, turn.cost) }),
  };
}

function spoken(turn: SpokenTurn, nextId: () => number): { message: unknown; finish: string } {
  const base = { role: "assistant", ...(turn.reasoning === undefined ? {} : { reasoning: turn.reasoning }) };
  if ("message" in turn) return { message: turn.message, finish: "stop" };
  if ("quiet" in turn) return { message: { ...base, content: turn.quiet }, finish: "stop" };
  if ("empty" in turn) return { message: { ...base, content: null }, finish: "stop" };
  if ("cut" in turn) {
    return { message: { ...base, content: null, tool_calls: [toolCall(turn.cut, nextId)] }, finish: "length" };
  }
  const calls = turn.calls.map((call) => toolCall(call, nextId));
  return { message: { ...base, content: turn.content ?? null, tool_calls: calls }, finish: "tool_calls" };
}

function toolCall([name, args]: ScriptedCall, nextId: () => number): Record<string, unknown> {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return { id: `call_${nextId()}`, type: "function", function: { name, arguments: text } };
}

function usageOf(usage: { prompt: number; completion: number }, cost: number | undefined): Record<string, number> {
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
    ...(cost === undefined ? {} : { cost }),
  };
}
