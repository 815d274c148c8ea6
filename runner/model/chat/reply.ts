import { z } from "zod";
import type { Masker } from "../../text/mask.js";
import type { ModelReply } from "../port/model-client.js";
import { expectShape, failOnError, NotACompletion, type ReplyContext, readAnswer, replyOf } from "../wire/answer.js";
import { costOf, usageOf } from "../wire/usage.js";
import { decodeMessage } from "./decode-message.js";

const what = "chat completion";
const choiceSchema = z.looseObject({
  message: z.looseObject({}).nullable(),
  finish_reason: z.string().nullish().catch(null),
});
const bodySchema = z.looseObject({
  choices: z.array(z.unknown()),
  model: z.string().optional().catch(undefined),
  usage: z.unknown().optional(),
});

export function decodeReply(text: string, headers: Headers, context: ReplyContext): Omit<ModelReply, "ms"> {
  return readAnswer(text, (body) => {
    failOnError(body, headers, context.masker);
    const { choices, model, usage } = expectShape(bodySchema, body, what);
    const choice =
      choices.length === 0 ? null : expectShape(choiceSchema, errorFree(choices[0], headers, context.masker), what);
    failOnBreak(choice?.finish_reason ?? null);
    const heard = decodeMessage(choice?.message ?? null, context);
    const around = {
      finish: finishReasonOf(choice?.finish_reason ?? null),
      usage: usageOf(usage, { promptChars: context.promptChars, replyChars: heard.chars }),
      cost: costOf(usage, headers),
      model,
    };
    return replyOf(heard, around, context);
  });
}

/** Other providers' words for a reply that stopped at a limit. */
const cutWords = new Set([
  "length",
  "max_tokens",
  "max_output_tokens",
  "model_length",
  "model_context_window_exceeded",
]);

function finishReasonOf(word: string | null): string {
  return word !== null && cutWords.has(word.toLowerCase()) ? "length" : (word ?? "unknown");
}

/** Words of OpenRouter, DeepSeek and Zhipu for a reply that broke off on their side, also without an error. */
const brokenWords = new Set(["error", "insufficient_system_resource", "network_error"]);

function failOnBreak(word: string | null): void {
  if (word !== null && brokenWords.has(word.toLowerCase()))
    throw new NotACompletion(`the endpoint broke the reply off (${word.toLowerCase()})`);
}

/** Some routers put the error into the choice. */
function errorFree(choice: unknown, headers: Headers, masker: Masker): unknown {
  failOnError(choice, headers, masker);
  return choice;
}
