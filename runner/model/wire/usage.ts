import type { Usage } from "../port/model-client.js";

const most = 1e9;
/** A rule of thumb for English and code, used only where the provider counts nothing usable, or not yet. */
const charsPerToken = 4;
/** LiteLLM tells a cost here and not in the body, and 0 for a model that it has no price for. */
const costHeader = "x-litellm-response-cost";

/** The paths under which an interface, and those who speak it, put each count. */
interface Names {
  readonly prompt: string;
  readonly reply: string;
  readonly cached: readonly string[];
  readonly written: readonly string[];
  readonly reasoning: readonly string[];
}

const chatNames: Names = {
  prompt: "prompt_tokens",
  reply: "completion_tokens",
  cached: [
    "prompt_tokens_details.cached_tokens",
    // DeepSeek
    "prompt_cache_hit_tokens",
    // Anthropic's name, which LiteLLM hands on
    "cache_read_input_tokens",
    // Moonshot
    "cached_tokens",
  ],
  written: [
    "prompt_tokens_details.cache_write_tokens",
    // LiteLLM
    "prompt_tokens_details.cache_creation_tokens",
    "cache_creation_input_tokens",
  ],
  reasoning: ["completion_tokens_details.reasoning_tokens"],
};

const responseNames: Names = {
  prompt: "input_tokens",
  reply: "output_tokens",
  cached: ["input_tokens_details.cached_tokens"],
  written: ["input_tokens_details.cache_write_tokens"],
  reasoning: ["output_tokens_details.reasoning_tokens"],
};

/** Lengths of the texts, for a provider that does not count. */
interface Chars {
  readonly promptChars: number;
  readonly replyChars: number;
}

/** Estimates a prompt that nobody has counted yet. */
export function estimatedTokens(chars: number): number {
  return Math.ceil(chars / charsPerToken);
}

/** Reads the counts of a chat completions answer. */
export function usageOf(raw: unknown, chars: Chars): Usage {
  return read(raw, chatNames, chars);
}

/** Reads the counts of a Responses answer. */
export function usageOfResponse(raw: unknown, chars: Chars): Usage {
  return read(raw, responseNames, chars);
}

/** Returns the cost that the provider reports, from the body before a header; an unknown cost stays unknown. */
export function costOf(raw: unknown, headers: Headers): number | null {
  const cost = costInBody(raw);
  if (cost !== null) return cost;
  const text = headers.get(costHeader) ?? "";
  const told = /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return usable(told) && told > 0 ? told : null;
}

/**
 * With a key of one's own at OpenRouter (`is_byok`), `cost` is its fee, and the provider's own cost stands beside it.
 */
function costInBody(raw: unknown): number | null {
  const cost = field(raw, "cost");
  if (!usable(cost)) return null;
  if (field(raw, "is_byok") !== true) return cost;
  const upstream = field(field(raw, "cost_details"), "upstream_inference_cost");
  return usable(upstream) ? cost + upstream : null;
}

function read(raw: unknown, names: Names, { promptChars, replyChars }: Chars): Usage {
  const told = toldIn(raw, names);
  const promptTokens = told.prompt ?? estimatedTokens(promptChars);
  const toldReasoning = largest(raw, names.reasoning);
  const reply = told.reply ?? estimatedTokens(replyChars);
  const [cached, written] = [largest(raw, names.cached), largest(raw, names.written)];
  const isTold = told.prompt !== null && told.reply !== null;
  const surplus = isTold ? (tokens(field(raw, "total_tokens")) ?? 0) - promptTokens - reply : 0;
  // some count cached tokens in the total but not in the prompt
  const isOfPrompt = [cached, written, cached + written].includes(surplus);
  // Gemini tells reasoning by the total alone
  const reasoning = toldReasoning === 0 && surplus > 0 && !isOfPrompt ? surplus : toldReasoning;
  // xAI and Gemini leave reasoning out of the reply's count, but not out of the total or the bill
  const evalTokens = surplus === reasoning ? reply + reasoning : reply;
  // some leave cached tokens out of the prompt's count; the number of new tokens must not become negative
  const cachedTokens = Math.min(cached, promptTokens);
  return {
    promptTokens,
    cachedTokens,
    cacheWriteTokens: Math.min(written, promptTokens - cachedTokens),
    evalTokens,
    reasoningTokens: Math.min(reasoning, evalTokens),
    estimated: told.prompt === null || told.reply === null,
  };
}

/** Servers that do not count say 0 for both, and no prompt is empty. */
function toldIn(raw: unknown, names: Names): { readonly prompt: number | null; readonly reply: number | null } {
  const [prompt, reply] = [tokens(field(raw, names.prompt)), tokens(field(raw, names.reply))];
  return prompt === 0 && reply === 0 ? { prompt: null, reply: null } : { prompt, reply };
}

/** Takes the largest of the same count under several names; routers set names that they do not know to 0. */
function largest(raw: unknown, paths: readonly string[]): number {
  return Math.max(0, ...paths.map((path) => tokens(path.split(".").reduce(field, raw)) ?? 0));
}

function tokens(value: unknown): number | null {
  return usable(value) ? Math.ceil(value) : null;
}

function usable(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 && value <= most;
}

function field(raw: unknown, name: string): unknown {
  return typeof raw === "object" && raw !== null ? Reflect.get(raw, name) : undefined;
}
