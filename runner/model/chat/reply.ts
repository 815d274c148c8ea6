import { z } from "zod";
import type { Masker } from "../../text/mask.js";
import type { ModelReply } from "../port/model-client.js";
import { expectShape, failOnError, NotACompletion, type ReplyContext, readAnswer, replyOf } from "../wire/answer.js";
import { type Fields, fieldsOf, present } from "../wire/fields.js";
import { costOf, usageOf } from "../wire/usage.js";
import { decodeMessage } from "./decode-message.js";

const what = "chat completion";
const choiceSchema = z.looseObject({
  message: z.looseObject({}).nullable(),
  finish_reason: z.string().nullish().catch(null),
  usage: z.unknown().optional(),
});
const bodySchema = z.looseObject({
  choices: z.array(z.unknown()),
  model: z.string().optional().catch(undefined),
  usage: z.unknown().optional(),
});

export function decodeReply(text: string, headers: Headers, context: ReplyContext): Omit<ModelReply, "ms"> {
  return readAnswer(text, (body) => {
    failOnError(body, headers, context.masker);
    const { choices, model, ...others } = expectShape(bodySchema, body, what);
    const said = choices.map((choice) => expectShape(choiceSchema, errorFree(choice, headers, context.masker), what));
    const finish = said.at(-1)?.finish_reason ?? null;
    failOnBreak(finish);
    // Moonshot's streams tell it in the choice, and Groq's in a field of their own
    const usage = others.usage ?? said.at(-1)?.usage ?? fieldsOf(others.x_groq).usage;
    const heard = decodeMessage(joined(said.flatMap(({ message }) => (message === null ? [] : [message]))), context);
    const around = {
      finish: finishReasonOf(finish),
      usage: usageOf(usage, { promptChars: context.promptChars, replyChars: heard.chars }),
      cost: costOf(usage, headers),
      model,
    };
    return replyOf(heard, around, context);
  });
}

/** GitHub Copilot gives the words of Claude and each of its calls in a choice of its own; nobody asks for several answers. */
function joined(messages: readonly Fields[]): Fields | null {
  if (messages.length < 2) return messages[0] ?? null;
  const calls = messages.flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls : []));
  const fields: Fields = Object.assign({}, ...messages.map(present).toReversed());
  return { ...fields, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
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
