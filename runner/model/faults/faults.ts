import { z } from "zod";
import type { Masker } from "../../text/mask.js";
import { oneLine } from "../../text/sanitise.js";
import { NotACompletion, ProviderError } from "../wire/answer.js";
import { limitHeaders } from "./allowance.js";
import { isContextFull } from "./context-full.js";
import { BodyTooLarge, HttpStatusError, RequestFailed } from "./endpoint-http.js";
import { type Refusal, refusalIn } from "./refusal.js";

export type DeniedStatus = 401 | 402 | 403 | 404;

/** The reason that an attempt gave no reply; it decides how to go on. */
export type Fault =
  /** may pass, so it is waited out */
  | {
      readonly kind: "passing";
      readonly reason: string;
      readonly retryAfter: RetryAfter | null;
      /** true when a limit of the provider refused the request */
      readonly isLimit?: true;
    }
  /** the address is refused, unresolvable or untrusted: an outage only once the endpoint has been seen working */
  | { readonly kind: "unreachable"; readonly reason: string }
  | {
      readonly kind: "denied";
      /** the status that most endpoints would give */
      readonly status: DeniedStatus;
      readonly reason: string;
      readonly wantsResponses: boolean;
    }
  | { readonly kind: "context_full"; readonly reason: string }
  /** `refusal` is the part of the request that the endpoint will not take, if it names one */
  | {
      readonly kind: "final";
      readonly reason: string;
      readonly refusal: Refusal | null;
      readonly wantsResponses: boolean;
      /** the endpoint's signed or sealed fields no longer fit the conversation before them */
      readonly refusesSeals: boolean;
    };

/** A wait the provider asks for, as a length or as the moment of its end, both in milliseconds. */
export type RetryAfter = { readonly forMs: number } | { readonly untilMs: number };

const longestReason = 300;
/** An error body may be as long as a reply. */
const longestLook = 16_000;
/**
 * The words of OpenAI, Azure and GitHub for a model that chat completions do not offer: not at all, or not with tools.
 */
const responsesPhrases: readonly RegExp[] = [
  /\b(?:use|only (?:supported|available) in)(?: the)? \/?v1\/responses\b/i,
  /\bnot a chat model and thus not supported in the v1\/chat\/completions\b/i,
  /\bchatCompletion operation does not work with the specified model\b/i,
  /\bnot accessible via the \/chat\/completions endpoint\b/i,
];
/** LiteLLM without a database, Gemini and xAI refuse a key with a 400, in these words. */
const keyPhrase = /\bno connected db\b|\bAPI key (?:not (?:valid|found)|expired)\b|\b(?:incorrect|invalid) API key\b/i;
/** Groq's code for a call that the model wrote wrongly; when asked again, it writes another. */
const failedCall = /\btool_use_failed\b/;
const passingStatuses = new Set([408, 409, 425, 429]);

const unreachableCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ENOTFOUND: "host name not found",
  EAI_AGAIN: "host name could not be looked up",
  EPROTO: "the server does not speak TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not speak TLS",
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate is for another host",
  CERT_HAS_EXPIRED: "certificate has expired",
  CERT_NOT_YET_VALID: "certificate is not valid yet",
  CERT_UNTRUSTED: "certificate not trusted",
  CERT_REJECTED: "certificate not trusted",
  DEPTH_ZERO_SELF_SIGNED_CERT: "certificate not trusted (self-signed)",
  SELF_SIGNED_CERT_IN_CHAIN: "certificate not trusted (self-signed authority)",
  UNABLE_TO_GET_ISSUER_CERT: "certificate not trusted (unknown authority)",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "certificate not trusted (unknown authority)",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate not trusted (unknown authority)",
};

/** Anthropic's words, Google's, and the code and the words of OpenAI's Responses. */
const sealPhrase =
  /invalid .{0,4}signature.{0,4} in .{0,4}thinking.{0,4} block|invalid_encrypted_content|encrypted content .{0,80}could not be (?:verified|decrypted)|corrupted thought signature|thought signature is not valid|blocks in the latest assistant message cannot be modified|when thinking is disabled, an .{0,3}assistant/i;

export const timedOut: Fault = { kind: "passing", reason: "timed out", retryAfter: null };

/** Returns null for an error that is a bug of ours. Known keys are masked before a text is shortened. */
export function faultOf(error: unknown, masker: Masker): Fault | null {
  if (error instanceof ProviderError) return faultOfProvider(error, masker);
  if (error instanceof NotACompletion) return passing(error.message);
  if (!(error instanceof RequestFailed)) return null;
  const { cause } = error;
  if (cause instanceof HttpStatusError) {
    const { status, headers, body } = cause;
    const retryAfter = retryAfterOf(headers) ?? retryDelayIn(body);
    return faultOfStatus({ status, body: masker.text(body), retryAfter }, masker);
  }
  return cause instanceof BodyTooLarge ? passing("a reply of more than 32 MB") : faultOfConnection(cause);
}

/** Tells whether a 400 means the 401 that most endpoints would give. */
export function isKeyRefused({ status, body }: Pick<HttpStatusError, "status" | "body">): boolean {
  return status === 400 && keyPhrase.test(sentenceIn(body).slice(0, longestReason));
}

/** Returns the headers of an answer that refuses because of a limit, or null for every other error. */
export function limitHeadersOf(error: unknown): Headers | null {
  if (error instanceof ProviderError) return error.status === 429 ? error.headers : null;
  const cause = error instanceof RequestFailed ? error.cause : null;
  if (!(cause instanceof HttpStatusError) || cause.status !== 429) return null;
  const headers = new Headers(cause.headers);
  for (const [name, value] of Object.entries(headersInBody(cause.body)))
    if (limitHeaders.has(name.toLowerCase()) && isHeaderText(String(value))) headers.set(name, String(value));
  return headers;
}

/** Accepts every value of a limit's header; other text might make `Headers` fail. */
function isHeaderText(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

const headersSchema = z.object({
  error: z.object({ metadata: z.object({ headers: z.record(z.string(), z.union([z.string().max(64), z.number()])) }) }),
});

/** OpenRouter tells of its own limits in the body. */
function headersInBody(body: string): Readonly<Record<string, string | number>> {
  return headersSchema.safeParse(parsedOrNull(body)).data?.error.metadata.headers ?? {};
}

function faultOfConnection(cause: unknown): Fault {
  const code = codeOf(cause);
  const why = unreachableCodes[code];
  if (why === undefined) return passing(`connection broke (${code})`);
  return { kind: "unreachable", reason: `${why} (${code})` };
}

function faultOfProvider(error: ProviderError, masker: Masker): Fault {
  const retryAfter = retryAfterOf(error.headers) ?? retryDelayIn(error.message);
  if (error.status !== null) return faultOfStatus({ status: error.status, body: error.message, retryAfter }, masker);
  const reason = `an error in place of a reply: ${saidIn(error.message, masker)}`;
  return isContextFull(null, error.message) ? { kind: "context_full", reason } : passing(reason, retryAfter);
}

interface HttpRefusal {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: RetryAfter | null;
}

function faultOfStatus({ status, body, retryAfter }: HttpRefusal, masker: Masker): Fault {
  const said = saidIn(body, masker);
  const reason = said === "" ? `HTTP ${status}` : `HTTP ${status}: ${said}`;
  if (isContextFull(status, body)) return { kind: "context_full", reason };
  const start = body.slice(0, longestLook);
  const wantsResponses = responsesPhrases.some((phrase) => phrase.test(start));
  if (status === 401 || status === 402 || status === 403 || status === 404) {
    return { kind: "denied", status, reason, wantsResponses };
  }
  if (isKeyRefused({ status, body })) return { kind: "denied", status: 401, reason, wantsResponses: false };
  const mayPass = passingStatuses.has(status) || status >= 500;
  if (mayPass || (status === 400 && failedCall.test(start))) return passing(reason, retryAfter);
  if (status < 400) {
    const reason = `HTTP ${status}, a redirect; redirects are not followed`;
    return { kind: "final", reason, refusal: null, wantsResponses: false, refusesSeals: false };
  }
  const refusesSeals = sealPhrase.test(start);
  return { kind: "final", reason, refusal: refusalIn(status, body), wantsResponses, refusesSeals };
}

function passing(reason: string, retryAfter: RetryAfter | null = null): Fault {
  return { kind: "passing", reason, retryAfter };
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "unknown";
}

/** Prefers the endpoint's own header to the one that a gateway hands on from the provider behind it. */
function retryAfterOf(headers: Headers): RetryAfter | null {
  return retryAfterNamed(headers, "retry-after") ?? retryAfterNamed(headers, "llm_provider-retry-after");
}

/** Reads milliseconds, else seconds, else a date by the sender's clock. */
function retryAfterNamed(headers: Headers, name: string): RetryAfter | null {
  const ms = Number.parseFloat(headers.get(`${name}-ms`) ?? "");
  if (Number.isFinite(ms)) return { forMs: Math.max(0, ms) };
  const text = headers.get(name) ?? "";
  if (/^\s*[\d.]+\s*$/.test(text)) return { forMs: Number.parseFloat(text) * 1000 };
  const [untilMs, serverMs] = [Date.parse(text), Date.parse(headers.get("date") ?? "")];
  if (Number.isNaN(untilMs)) return null;
  return Number.isNaN(serverMs) ? { untilMs } : { forMs: Math.max(0, untilMs - serverMs) };
}

/** Google puts the delay into the body; a gateway may have wrapped that into a text. */
function retryDelayIn(body: string): RetryAfter | null {
  const [, seconds] = /"retryDelay\\*" ?: ?\\*"(\d{1,6}(?:\.\d+)?)s\\*"/.exec(body.slice(0, longestLook)) ?? [];
  return seconds === undefined ? null : { forMs: Number(seconds) * 1000 };
}

const saying = z.object({
  message: z.string(),
  // OpenRouter's field for the words of the provider behind it
  metadata: z.object({ raw: z.string() }).nullish().catch(null),
});
const errorObject = z.object({ error: saying });
const errorBody = z.union([
  errorObject.transform(({ error }) => allOf(error)),
  // Google's compatible endpoint sends a list
  z.tuple([errorObject]).transform(([{ error }]) => allOf(error)),
  saying.transform(allOf),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
]);

function allOf({ message, metadata }: z.infer<typeof saying>): string {
  const raw = metadata?.raw ?? "";
  return raw === "" ? message : `${message}: ${sentenceIn(raw)}`;
}

/** Returns one masked line. It masks after parsing, because a key may be escaped in the body. */
function saidIn(body: string, masker: Masker): string {
  return oneLine(masker.text(unescaped(sentenceIn(body))), longestReason);
}

/** Gateways put the JSON of others into texts of their own. */
function unescaped(text: string): string {
  return text
    .replace(/\\{1,8}u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\{1,8}\//g, "/");
}

/** Returns the sentence in an error body, or the whole body when none is found. */
function sentenceIn(body: string): string {
  const parsed = parsedOrNull(body);
  // Google's compatible endpoint puts its one error into a list
  const [error] = Array.isArray(parsed) ? parsed : [parsed];
  return errorBody.safeParse(error).data ?? body;
}

function parsedOrNull(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
