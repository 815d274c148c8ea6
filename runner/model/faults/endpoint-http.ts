import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
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

export const maxBodyBytes = 32 * 1024 * 1024;
/** Nothing else is sent: the library would add facts about the host, and headers from environment variables. */
const sentHeaders = ["accept", "authorization", "content-type"];
/** Many gateways and their shields answer 403 to a request without a name. */
const ourName = { "user-agent": "tilth" };
/** The only headers of an answer that tilth reads; LiteLLM renames those of the provider behind it. */
const readHeaders = [
  "retry-after",
  "retry-after-ms",
  "llm_provider-retry-after",
  "llm_provider-retry-after-ms",
  "x-litellm-response-cost",
  "date",
  ...limitHeaders,
];
/** A dual-stack address gets only 250 ms per family by default, too little for an endpoint across an ocean. */
const connection = { keepAlive: true, autoSelectFamilyAttemptTimeout: 5_000 };

/**
 * A `fetch` without undici's own time-outs (300 s for headers, where a slow local model needs longer). It follows no
 * redirect and fails with HttpStatusError when the status is not 2xx. It returns with the whole body, except for a
 * stream of events, of which it has read nothing yet.
 */
export class HttpFetch {
  readonly #http = new HttpAgent(connection);
  readonly #https = new HttpsAgent(connection);

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const signal = init.signal ?? new AbortController().signal;
    try {
      return await this.#answer(url, init, signal);
    } catch (error) {
      throw signal.aborted ? new DOMException("aborted", "AbortError") : error;
    }
  };

  async #answer(url: URL, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const response = await this.#send(url, init, signal);
    if (isStream(response, init)) {
      return new Response(streamOf(response), {
        headers: { ...Object.fromEntries(headersOf(response)), ...eventStream },
      });
    }
    const body = await bodyOf(response);
    const headers = headersOf(response);
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) throw new HttpStatusError(status, headers, body);
    return new Response(body, { headers });
  }

  #send(url: URL, init: RequestInit, signal: AbortSignal): Promise<IncomingMessage> {
    const secure = url.protocol === "https:";
    const given = new Headers(init.headers);
    const headers = { ...ourName, ...Object.fromEntries([...given].filter(([name]) => sentHeaders.includes(name))) };
    const options = { method: init.method ?? "GET", headers, signal, agent: secure ? this.#https : this.#http };
    return new Promise((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(url, options, resolve);
      request.on("error", reject);
      request.end(typeof init.body === "string" ? init.body : undefined);
    });
  }
}

const eventStream = { "content-type": "text/event-stream" };

function isStream({ statusCode = 0, headers }: IncomingMessage, { method }: RequestInit): boolean {
  const isEvents = (headers["content-type"] ?? "").toLowerCase().startsWith(eventStream["content-type"]);
  return method === "POST" && isEvents && statusCode >= 200 && statusCode <= 299;
}

/** Adapts Node's stream to the web stream that `Response` takes. */
function streamOf(response: IncomingMessage): ReadableStream<Uint8Array> {
  return Readable.toWeb(response);
}

/** Returns the body of an answer that is still streaming, or null when the answer came whole. */
export function streamIn({ headers, body }: Response): ReadableStream<Uint8Array> | null {
  return headers.get("content-type") === eventStream["content-type"] ? body : null;
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function headersOf(response: IncomingMessage): Headers {
  const headers = new Headers();
  for (const name of readHeaders) {
    const value = response.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  return headers;
}
