import type { ScriptedCall, SpokenTurn } from "../../runner/demo/script/script.js";
import { type AnthropicRequest, type Block, isThinking } from "./anthropic-request.js";
import type { Signatures } from "./signatures.js";

interface Making {
  readonly request: AnthropicRequest;
  readonly signatures: Signatures;
  readonly nextId: () => string;
}

/** Turns a turn into a message of Anthropic's interface. */
export function replyOf(turn: SpokenTurn, making: Making): Record<string, unknown> {
  const { content, stop } = spoken(turn, making);
  const usage = turn.usage ?? { prompt: 100, completion: 20 };
  return {
    id: `msg_${making.nextId()}`,
    type: "message",
    role: "assistant",
    model: making.request.model,
    content: [...thoughts(turn, making), ...content],
    stop_reason: stop,
    stop_sequence: null,
    usage: {
      input_tokens: usage.prompt,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: usage.completion,
    },
  };
}

/** A model that thinks does so before anything else it says. */
function thoughts({ reasoning }: SpokenTurn, { request, signatures }: Making): Block[] {
  return isThinking(request) ? [signatures.thinking(reasoning ?? "The next step is clear.", request)] : [];
}

function spoken(turn: SpokenTurn, { nextId }: Making): { content: Block[]; stop: string } {
  if ("message" in turn) throw new Error("a whole message of chat completions is none of this interface");
  if ("quiet" in turn) return { content: [said(turn.quiet)], stop: "end_turn" };
  if ("empty" in turn) return { content: [], stop: "end_turn" };
  const use = ([name, args]: ScriptedCall): Block => ({ type: "tool_use", id: `toolu_${nextId()}`, name, input: args });
  // a call that was cut off in the middle of its JSON arrives with the part that could be read
  if ("cut" in turn) return { content: [use([turn.cut[0], {}])], stop: "max_tokens" };
  const words = turn.content === undefined ? [] : [said(turn.content)];
  return { content: [...words, ...turn.calls.map(use)], stop: "tool_use" };
}

function said(text: string): Block {
  return { type: "text", text };
}
