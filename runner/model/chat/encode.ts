import type { Endpoint } from "../../settings/endpoints.js";
import type { Masker } from "../../text/mask.js";
import type { AssistantMessage, Message, ModelRequest, Own, ToolDefinition } from "../port/model-client.js";
import { mended } from "../wire/calls.js";
import { type Fields, fieldsOf } from "../wire/fields.js";
import { ownFor, theirIds } from "../wire/own-fields.js";
import type { RequestParts } from "../wire/request-parts.js";
import { replyLimitOf } from "./extras.js";

/** The endpoint to ask, and the extras to ask it for beyond the common interface. */
export interface RequestTarget {
  readonly endpoint: Endpoint;
  /** the name that marks this provider's own fields */
  readonly provider: string;
  readonly extras: Fields;
  /** what the last request there was made of */
  readonly parts: RequestParts;
}

/** Builds the body of a chat completions request; masks known keys, whatever a repository or a tool put there. */
export function encodeRequest(
  request: ModelRequest,
  { endpoint, provider, extras, parts }: RequestTarget,
  masker: Masker,
): Fields {
  const ids = theirIds(request.messages, provider);
  return {
    model: endpoint.model,
    messages: parts.messages(request.messages, provider, (message) => [
      encodeMessage(message, { masker, provider, ids }),
    ]),
    ...(request.tools.length === 0 ? {} : { tools: parts.tools(request.tools, provider, encodeTool) }),
    ...encodeTuning(endpoint),
    ...extras,
  };
}

function encodeTuning(endpoint: Endpoint): Fields {
  const { reasoningEffort, maxOutputTokens, temperature } = endpoint.tuning;
  return {
    ...(reasoningEffort === null ? {} : { reasoning_effort: reasoningEffort }),
    ...(maxOutputTokens === null ? {} : { [replyLimitOf(endpoint)]: maxOutputTokens }),
    ...(temperature === null ? {} : { temperature }),
  };
}

interface Encoding {
  readonly masker: Masker;
  readonly provider: string;
  readonly ids: ReadonlyMap<string, unknown>;
}

function encodeMessage(message: Message, { masker, provider, ids }: Encoding): Fields {
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: masker.text(message.content) };
    case "tool": {
      const { callId } = message;
      return { role: "tool", tool_call_id: ids.get(callId) ?? callId, content: masker.text(message.content) };
    }
    case "assistant":
      return encodeAssistant(message, ownFor(message, provider));
  }
}

/**
 * The reply's own words were masked when they came; the fields beside them go back untouched, because some are signed.
 */
function encodeAssistant({ content, calls }: AssistantMessage, own: Own | null): Fields {
  const toolCalls = calls.map((call, at) => {
    const { function: inside, ...others } = own?.calls[at] ?? {};
    return {
      id: call.id,
      type: "function",
      ...others,
      function: { ...fieldsOf(inside), ...mended(call) },
    };
  });
  return {
    role: "assistant",
    content: contentOf({ content, calls, own }),
    ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...own?.fields,
  };
}

/** A reply may have been only thoughts, or cut off in them; many providers refuse a message without words or calls. */
const noWords = "(empty)";

function contentOf({ content, calls, own }: Pick<AssistantMessage, "content" | "calls" | "own">): string | null {
  if (calls.length === 0) return (content ?? "").trim() === "" ? noWords : content;
  // DeepSeek takes no null beside its thoughts
  return content ?? (typeof own?.fields.reasoning_content === "string" ? "" : null);
}

function encodeTool({ name, description, parameters }: ToolDefinition): Fields {
  return { type: "function", function: { name, description, parameters } };
}
