import type { Usage } from "./model-client.js";

const most = 1e9;
/** A rule of thumb for English and code; only ever used where the provider counts nothing usable. */
const charsPerToken = 4;

export function usageOf(raw: unknown, chars: { readonly promptChars: number; readonly replyChars: number }): Usage {
  const prompt = tokens(field(raw, "prompt_tokens"));
  const evaluated = tokens(field(raw, "completion_tokens"));
  return {
    promptTokens: prompt ?? Math.ceil(chars.promptChars / charsPerToken),
    evalTokens: evaluated ?? Math.ceil(chars.replyChars / charsPerToken),
    estimated: prompt === null || evaluated === null,
  };
}

/** Only as the provider reports it: unknown stays unknown. */
export function costOf(raw: unknown): number | null {
  const cost = field(raw, "cost");
  return usable(cost) ? cost : null;
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
