import type { AnthropicMessage, AnthropicRequest, Block } from "./anthropic-request.js";
import { isThinking } from "./anthropic-request.js";
import { isThought, type Signatures } from "./signatures.js";

const parameters = [
  ...["model", "messages", "max_tokens", "system", "tools", "tool_choice", "thinking", "stream", "metadata"],
  ...["temperature", "top_p", "top_k", "stop_sequences", "service_tier", "cache_control", "output_config", "container"],
  ...["context_management"],
];
const fields: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "cache_control", "citations"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name", "input", "cache_control", "caller"],
  tool_result: ["tool_use_id", "content", "is_error", "cache_control"],
};
const usableId = /^[a-zA-Z0-9_-]+$/;
const leastBudget = 1024;
const documentation = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking";

export interface Strictness {
  /** whether a thinking block is refused after a conversation other than its own, as from Fable 5.1 on */
  readonly binds: boolean;
}

/**
 * The reason why Anthropic's Messages interface refuses a request, in the words it is known to use; null if it does
 * not.
 */
export function refusalOf(request: AnthropicRequest, signatures: Signatures, { binds }: Strictness): string | null {
  const refusal = wrongParameter(request) ?? wrongShape(request) ?? wrongPairs(request);
  if (refusal !== null || !isThinking(request)) return refusal;
  return (
    wrongForThinking(request) ??
    changedThought(request, signatures) ??
    (binds ? movedThought(request, signatures) : null) ??
    missingThought(request)
  );
}

function wrongParameter(request: AnthropicRequest): string | null {
  const extra = Object.keys(request).find((name) => !parameters.includes(name));
  return extra === undefined ? null : `${extra}: Extra inputs are not permitted`;
}

function wrongForThinking({ thinking, max_tokens, temperature }: AnthropicRequest): string | null {
  const budget = thinking?.budget_tokens;
  if (temperature !== undefined && temperature !== 1)
    return `\`temperature\` may only be set to 1 when thinking is enabled. Please consult our documentation at ${documentation}#important-considerations-when-using-extended-thinking`;
  if (budget === undefined) return null;
  if (budget < leastBudget)
    return `thinking.enabled.budget_tokens: Input should be greater than or equal to ${leastBudget}`;
  if (max_tokens > budget) return null;
  return `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. Please consult our documentation at ${documentation}#max-tokens-and-context-window-size`;
}

function wrongShape({ messages }: AnthropicRequest): string | null {
  for (const [at, message] of messages.entries()) {
    const extra = Object.keys(message).find((key) => key !== "role" && key !== "content");
    if (extra !== undefined) return `messages.${at}.${extra}: Extra inputs are not permitted`;
    for (const [index, block] of message.content.entries()) {
      const wrong = wrongBlock(block);
      if (wrong !== null) return `messages.${at}.content.${index}.${wrong}`;
    }
  }
  return null;
}

function wrongBlock(block: Block): string | null {
  const known = fields[block.type];
  if (known === undefined)
    return `type: Input tag '${block.type}' found using 'type' does not match any of the expected tags`;
  const extra = Object.keys(block).find((key) => key !== "type" && !known.includes(key));
  if (extra !== undefined) return `${block.type}.${extra}: Extra inputs are not permitted`;
  const named = { tool_use: "id", tool_result: "tool_use_id" }[block.type];
  if (named === undefined || usableId.test(String(block[named]))) return null;
  return `${block.type}.${named}: String should match pattern '^[a-zA-Z0-9_-]+$'`;
}

function wrongPairs({ messages }: AnthropicRequest): string | null {
  for (const [at, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const answered = new Set(messages[at + 1]?.content.map(({ tool_use_id }) => tool_use_id));
    const left = usesIn(message).flatMap(({ id }) => (answered.has(id) ? [] : [id]));
    if (left.length > 0)
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${left.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
  }
  return null;
}

function changedThought({ messages }: AnthropicRequest, signatures: Signatures): string | null {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  for (const { where, block, at } of thoughtsIn(messages)) {
    if (!signatures.gave(block)) return `${where}: Invalid \`signature\` in \`thinking\` block`;
    if (at === last && !signatures.unchanged(block))
      return `${where}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
  }
  return null;
}

function movedThought(request: AnthropicRequest, signatures: Signatures): string | null {
  for (const { where, block, at } of thoughtsIn(request.messages)) {
    const moved = signatures.moved(block, { ...request, messages: request.messages.slice(0, at) });
    if (moved === null) continue;
    const why = moved === "system" ? " The `system` prompt differs from the one this block was created with." : "";
    return `${where}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block". That setting requires the \`thinking-binding-controls-2026-08-01\` value in the \`anthropic-beta\` header.${why}`;
  }
  return null;
}

/** The last reply before tool results must begin with its thinking, unless the model may choose whether to think. */
function missingThought({ thinking, messages }: AnthropicRequest): string | null {
  if (thinking?.type !== "enabled") return null;
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const reply = messages[last];
  const [first] = reply?.content ?? [];
  if (!reply || !first || usesIn(reply).length === 0 || isThought(first)) return null;
  return `messages.${last}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at ${documentation}`;
}

function thoughtsIn(messages: readonly AnthropicMessage[]): { where: string; block: Block; at: number }[] {
  return messages.flatMap(({ content }, at) =>
    content.flatMap((block, index) =>
      isThought(block) ? [{ where: `messages.${at}.content.${index}`, block, at }] : [],
    ),
  );
}

function usesIn({ content }: AnthropicMessage): Block[] {
  return content.filter(({ type }) => type === "tool_use");
}
