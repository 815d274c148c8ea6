import type { Tuning } from "../../settings/endpoints.js";
import type { Masker } from "../../text/mask.js";
import type { RequestTarget } from "../chat/encode.js";
import type { AssistantMessage, Message, ModelRequest, Own, ToolDefinition } from "../port/model-client.js";
import { mended } from "../wire/calls.js";
import { type Fields, fieldsOf } from "../wire/fields.js";
import { ownFor, theirIds } from "../wire/own-fields.js";

/**
 * Builds the body of a request to the Responses interface with the whole conversation in it: nothing is stored there,
 * so reasoning comes sealed and goes back with each request.
 */
export function encodeForResponses(
  request: ModelRequest,
  { endpoint, provider, extras, parts }: RequestTarget,
  masker: Masker,
): Fields {
  const system = request.messages.flatMap(({ role, content }) => (role === "system" ? [content] : []));
  const ids = theirIds(request.messages, provider);
  return {
    model: endpoint.model,
    ...(system.length === 0 ? {} : { instructions: masker.text(system.join("\n\n")) }),
    input: parts.messages(request.messages, provider, (message) => itemsOf(message, { masker, provider, ids })),
    ...(request.tools.length === 0 ? {} : { tools: parts.tools(request.tools, provider, encodeTool) }),
    store: false,
    include: ["reasoning.encrypted_content"],
    ...encodeTuning(endpoint.tuning),
    ...extras,
  };
}

function encodeTuning({ reasoningEffort, maxOutputTokens, temperature }: Tuning): Fields {
  return {
    ...(reasoningEffort === null ? {} : { reasoning: { effort: reasoningEffort } }),
    ...(maxOutputTokens === null ? {} : { max_output_tokens: maxOutputTokens }),
    ...(temperature === null ? {} : { temperature }),
  };
}

/** Our schemas are not of the strict kind, which this interface assumes by default. */
function encodeTool({ name, description, parameters }: ToolDefinition): Fields {
  return { type: "function", name, description, parameters, strict: false };
}

interface Encoding {
  readonly masker: Masker;
  readonly provider: string;
  readonly ids: ReadonlyMap<string, unknown>;
}

function itemsOf(message: Message, { masker, provider, ids }: Encoding): readonly Fields[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [{ role: "user", content: masker.text(message.content) }];
    case "tool": {
      const call_id = ids.get(message.callId) ?? message.callId;
      return [{ type: "function_call_output", call_id, output: masker.text(message.content) }];
    }
    case "assistant": {
      const own = ownFor(message, provider);
      const items = own?.fields.output;
      return Array.isArray(items) ? replayed(items.map(fieldsOf), message, own) : plain(message, ids);
    }
  }
}

/** Encodes another provider's reply, or one whose items were too large to be kept or are taken back no more. */
function plain({ content, calls }: AssistantMessage, ids: Encoding["ids"]): readonly Fields[] {
  const said = content === null || content === "" ? [] : [{ role: "assistant", content }];
  const made = calls.map((call) => ({ type: "function_call", call_id: ids.get(call.id) ?? call.id, ...mended(call) }));
  return [...said, ...made];
}

/** Returns the items as they came, each call as the conversation has it by now. */
function replayed(items: readonly Fields[], { calls }: AssistantMessage, own: Own | null): readonly Fields[] {
  let nth = 0;
  return items.map((item) => {
    if (item.type !== "function_call") return item;
    const [call, theirs] = [calls[nth], own?.calls[nth]?.id];
    nth += 1;
    return call === undefined ? item : { ...item, call_id: theirs ?? call.id, ...mended(call) };
  });
}
