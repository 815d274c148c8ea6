import type { Masker } from "../support/mask.js";
import type { AssistantMessage, Message, ModelRequest, ToolDefinition } from "./model-client.js";

type Wire = Readonly<Record<string, unknown>>;

/** The body of a chat completions request; no known key is in it, whatever a repository or a tool put there. */
export function encodeRequest(request: ModelRequest, model: string, extras: Wire, masker: Masker): Wire {
  return {
    model,
    messages: request.messages.map((message) => encodeMessage(message, masker)),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(encodeTool) }),
    ...extras,
  };
}

function encodeMessage(message: Message, masker: Masker): Wire {
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: masker.text(message.content) };
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content: masker.text(message.content) };
    case "assistant":
      return encodeAssistant(message);
  }
}

/** Its own words were masked when they came; reasoning goes back untouched, for some of it is signed. */
function encodeAssistant({ content, calls, reasoning }: AssistantMessage): Wire {
  const toolCalls = calls.map(({ id, name, arguments: text }) => ({
    id,
    type: "function",
    function: { name: usableName(name), arguments: isObject(text) ? text : "{}" },
  }));
  return {
    role: "assistant",
    content: content ?? (calls.length === 0 ? "" : null),
    ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...reasoning,
  };
}

function encodeTool({ name, description, parameters }: ToolDefinition): Wire {
  return { type: "function", function: { name, description, parameters } };
}

function usableName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
