import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { limitHeaders } from "./allowance.js";

/** The endpoint answered with another status than 2xx. */
export class HttpStatusError extends Error {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  constructor(status: number, headers: Headers, body: string) {
    super(`HTTP status ${status}`);
    this.name = "HttpStatusError";
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

export class BodyTooLarge extends Error {}

/** No whole answer came, or one with another status than 2xx: `cause` says which. */
export class RequestFailed extends Error {
  constructor(cause: unknown) {
    super("the request failed", { cause });
    this.name = "RequestFailed";
  }
}

export const maxBodyBytes = 32 * 1024 * 1024;
/** Many gateways and their shields answer 403 to a request without a name. */
const ourName = { "user-agent": "tilth" };
/** The only headers of an answer that tilth reads; LiteLLM renames those of the provider behind it. */
const readHeaders: ReadonlySet<string> = new Set([
  "retry-after",
  "retry-after-ms",
  "llm_provider-retry-after",
  "llm_provider-retry-after-ms",
  "x-litellm-response-cost",
  "date",
  ...limitHeaders,
]);
/** A dual-stack address gets only 250 ms per family by default, too little for an endpoint across an ocean. */
const connection = { keepAlive: true, autoSelectFamilyAttemptTimeout: 5_000 };

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** pieces, sent one after the other; none for a request without a body */
  readonly body: readonly Uint8Array[];
  /** whichever aborts first ends the request, and an answer that is still being read */
  readonly ends: readonly AbortSignal[];
}

/** An answer with a status of 2xx: its whole body, or a stream of events of which nothing has been read yet. */
export type HttpAnswer = { readonly headers: Headers } & (
  | { readonly text: string }
  | { readonly stream: ReadableStream<Uint8Array> }
);

/**
 * HTTP without undici's own time-outs (300 s for headers, where a slow local model needs longer), and without the many
 * steps that a `fetch` and a client library take for each request. It follows no redirect and fails with
 * HttpStatusError when the status is not 2xx.
 */
export class EndpointHttp {
  readonly #http = new HttpAgent(connection);
  readonly #https = new HttpsAgent(connection);

  async send(request: HttpRequest): Promise<HttpAnswer> {
    try {
      for (const end of request.ends) end.throwIfAborted();
      const answer = await answerTo(request, await this.#sent(request));
      // an answer whose request was ended may look whole
      for (const end of request.ends) end.throwIfAborted();
      return answer;
    } catch (error) {
      throw request.ends.some(({ aborted }) => aborted) ? new DOMException("aborted", "AbortError") : error;
    }
  }

  #sent({ method, url, headers, body, ends }: HttpRequest): Promise<IncomingMessage> {
    const secure = url.startsWith("https:");
    const agent = secure ? this.#https : this.#http;
    const length = body.reduce((sum, { length }) => sum + length, 0);
    const sized = length === 0 ? {} : { "content-length": String(length) };
    const options = { method, headers: { ...ourName, ...headers, ...sized }, agent };
    return new Promise((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(url, options, resolve);
      request.on("error", reject);
      endWith(request, ends);
      for (const piece of body) request.write(piece);
      request.end();
    });
  }
}

/** One signal serves a whole run of requests, so a listener is taken off once its request is over. */
function endWith(request: ClientRequest, ends: readonly AbortSignal[]): void {
  const end = () => request.destroy();
  for (const signal of ends) signal.addEventListener("abort", end, { once: true });
  request.on("close", () => {
    for (const signal of ends) signal.removeEventListener("abort", end);
  });
}

async function answerTo(request: HttpRequest, response: IncomingMessage): Promise<HttpAnswer> {
  const status = response.statusCode ?? 0;
  const isFine = status >= 200 && status <= 299;
  // adapts Node's stream to the web stream that is read further on
  if (isFine && isStream(response, request)) return { headers: headersOf(response), stream: Readable.toWeb(response) };
  const text = await bodyOf(response);
  const headers = headersOf(response);
  if (!isFine) throw new HttpStatusError(status, headers, text);
  return { headers, text };
}

function isStream({ headers }: IncomingMessage, { method }: HttpRequest): boolean {
  return method === "POST" && (headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream");
}

function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBodyBytes) response.destroy(new BodyTooLarge());
      else chunks.push(chunk);
    });
    response.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    response.on("error", reject);
  });
}

function headersOf(response: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers))
    if (typeof value === "string" && readHeaders.has(name)) headers.set(name, value);
  return headers;
}
