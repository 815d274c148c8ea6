/** Providers have no common code for a full context, so it is recognised by the text of the error. */
const phrases: readonly RegExp[] = [
  /context_length_exceeded/i,
  /exceed_context_size/i,
  /ContextWindowExceeded/,
  /request_too_large/i,
  /request exceeds the maximum size/i,
  /maximum context length/i,
  /maximum (prompt|input) length/i,
  /context (length|window|size)[^.]{0,60}(exceed|overflow|too (long|large|small))/i,
  /exceed\w*[^.]{0,60}context (length|window|size)/i,
  /context (overflows|is full)/i,
  /(prompt|input|conversation|request) is too long/i,
  /input token count[^.]{0,60}exceeds/i,
  /reduce the length of (the|your) (messages|prompt|input)/i,
  /too many (input )?tokens in/i,
  /input length and `?max_(new_)?tokens/i,
  // vLLM, until early in 2026: the number is the room left for the reply
  /\bmax_tokens must be at least 1, got -\d/i,
  // LM Studio, and the server in it
  /context the overflows/i,
  /\bn_keep\b.{0,20}>= ?n_ctx\b/i,
  /(greater|longer) than the (model's |maximum )?(context|model) length/i,
  // Moonshot
  /exceeded model token limit/i,
  // GitHub
  /prompt token count of \d+ exceeds/i,
  // Zhipu
  /prompt exceeds max length/i,
  // DashScope
  /range of input length should be/i,
  // Cohere
  /\btoo many (input )?tokens[:.]/i,
  // Hugging Face's server
  /`inputs` (tokens \+|must have less than \d)/i,
  // Vertex
  /input token count is \d+ but model only supports/i,
  // SiliconFlow, Bedrock and watsonx
  /number of input tokens[^.]{0,40}exceed/i,
  // Volcano
  /input length \(?\d+\)? exceeds/i,
  /exceed max message tokens/i,
];
/** OpenAI's words for a request larger than a key's tokens per minute: waiting never helps it. */
const tooLargeForAMinute = /\btokens must be reduced in order to run\b/i;

/** An error body may be as long as a reply. */
const longestLook = 16_000;
/** Statuses whose text may speak of the context; a 429 speaks of tokens per minute. */
const speaksOfContext = new Set([400, 422, 500]);

export function isContextFull(status: number | null, text: string): boolean {
  if (status === 413) return true;
  if (status === 429) return tooLargeForAMinute.test(text.slice(0, longestLook));
  if (status !== null && !speaksOfContext.has(status)) return false;
  const start = text.slice(0, longestLook);
  return phrases.some((phrase) => phrase.test(start));
}
