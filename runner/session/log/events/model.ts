import { z } from "zod";
import { count, event, inTask, json, maybeInTask, modelPhase, ms } from "./fields.js";

export const channelUse = z.strictObject({
  present: z.boolean(),
  chars: count,
  truncated: z.boolean(),
  sha256_8: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .describe("first 8 digits of the SHA-256 of the text"),
});
export type ChannelUse = z.infer<typeof channelUse>;

/** Requests to models, and how they were answered. */
export const modelEvents = {
  context_reset: event("A task begins; its conversation starts empty.", { ...inTask }),
  context_folded: event(
    "Old tool results were shortened to one line each, so that the next prompt fits the model's context.",
    {
      ...maybeInTask,
      why: z
        .enum(["full", "near_limit"])
        .describe("the provider reported a full context, or the prompt came near TILTH_CONTEXT_TOKENS"),
      folded: z.array(z.string()).describe("ids of the calls whose results were shortened"),
      lines: z.array(z.string()).describe("the lines in their places, as the model gets them"),
    },
  ),
  memory_load: event("What an opening prompt was put together from, channel by channel.", {
    ...inTask,
    role: modelPhase,
    channels: z.record(z.string(), channelUse),
  }),
  prompt_assembled: event("Text that was said to a model, complete, as it was sent.", {
    ...maybeInTask,
    role: modelPhase,
    content: z.string(),
    chars: count,
  }),
  model_call: event("A model replied: the complete reply and what it used.", {
    ...maybeInTask,
    phase: modelPhase,
    attempt: count,
    model: z.string(),
    model_asked: z.string().optional().describe("the model that was asked for, if another one answered"),
    prompt_tokens: count.describe("the whole prompt, cached tokens included"),
    cached_tokens: count.default(0).describe("tokens of the prompt that came from the provider's cache"),
    cache_write_tokens: count.default(0).describe("tokens of the prompt that were written to the provider's cache"),
    eval_tokens: count.describe("tokens of the reply, reasoning included"),
    reasoning_tokens: count.default(0).describe("tokens of the reply that were spent on reasoning"),
    estimated: z
      .boolean()
      .describe("the provider gave no usable token counts, and tilth estimated them from characters"),
    cost: z.number().nonnegative().nullable().describe("US dollars, or null where nobody tells them"),
    cost_from: z
      .enum(["provider", "prices"])
      .optional()
      .describe("who told the cost: the provider, or the person's prices.json; absent without a cost, and in old logs"),
    tokens_used_total: count.describe(
      "of the whole session so far, as TILTH_MAX_TOKENS counts: cached tokens at a tenth",
    ),
    finish_reason: z.string(),
    reasoning: z.string().nullable(),
    content: z.string().nullable(),
    calls: z
      .array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() }))
      .describe("the calls as they came; `arguments` is raw text"),
    calls_dropped: count.optional().describe("further calls, too many to be kept or answered"),
    own_fields: json
      .optional()
      .describe("what else the provider sent, and gets back; what is signed, sealed or long stands as its hash"),
    own_fields_dropped: z.array(z.string()).optional().describe("names of such fields that were too large to be kept"),
    ms,
  }),
  empty_model_response: event("A model replied with no content, calls or reasoning; it is asked again.", {
    ...maybeInTask,
    phase: modelPhase,
    in_a_row: count.describe("how many empty replies in a row, this one included"),
  }),
  model_retry: event("The endpoint failed in a way that may pass; it is asked again after `wait_ms`.", {
    ...maybeInTask,
    phase: modelPhase,
    attempt: count,
    reason: z.string(),
    wait_ms: ms,
  }),
  limit_wait: event("A limit of the endpoint is waited for, before it refuses or because it did; this is no attempt.", {
    ...maybeInTask,
    phase: modelPhase,
    reason: z.string().describe("what is used up, or what the endpoint said"),
    wait_ms: ms,
    until: z.iso.datetime().describe("when it ends"),
    uncounted: z.literal(true).optional().describe("`--wait-for-limit` waits, which no cap counts"),
  }),
  parameter_left_out: event(
    "The endpoint refused a parameter that a request can do without; this process does not send it there again.",
    {
      ...maybeInTask,
      phase: modelPhase,
      parameter: z.string().describe("name of the parameter, or of the field of earlier messages"),
      sent_instead: z.string().nullable().describe("what goes in its place, such as `max_tokens`; null: nothing"),
      reason: z.string().describe("what the endpoint said"),
    },
  ),
};
