import type { IncomingMessage } from "node:http";
import { TooMuch } from "./allowance.js";
import { NoPage } from "./index-pages.js";

/** the rest of an unwanted body is read when that is cheaper than another connection */
const cheapBytes = 64 * 1024;

/** A thing that was not fetched, with a sentence for a person. */
export class NotFetched extends Error {
  constructor(
    readonly status: 403 | 404 | 502,
    message: string,
    /** true when another attempt may succeed */
    readonly passing = false,
  ) {
    super(message);
  }
}

/** One of our rules forbids this fetch, so another attempt would fail too. */
export class NotTaken extends NotFetched {}

export function discard(response: IncomingMessage): void {
  response.on("error", () => undefined);
  const length = Number(response.headers["content-length"] ?? Number.NaN);
  if (length <= cheapBytes) response.resume();
  else response.destroy();
}

/** The refusal that a response to a question for `what` stands for. */
export function refusalOf(response: IncomingMessage, url: URL, what: string): NotFetched {
  const { statusCode = 0 } = response;
  discard(response);
  if (statusCode === 404 || statusCode === 410) return new NotFetched(404, `${url.host} does not have ${what}`);
  if (statusCode === 401)
    return new NotFetched(403, `${url.host} asks who wants ${what}, and takes no answer that it was given (401)`);
  if (statusCode === 403) return new NotFetched(403, `${url.host} does not let ${what} be fetched (403)`);
  if (statusCode === 429) return new NotFetched(502, `${url.host} was asked too often for ${what} (429)`);
  return new NotFetched(502, `${url.host} answered ${statusCode} when it was asked for ${what}`);
}

/** The failure of taking `what` in, or the reason of the signal. */
export function failureOf(error: unknown, what: string, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof TooMuch || error instanceof NoPage) return new NotTaken(502, `${what} is not taken: ${why}`);
  return new NotFetched(502, `${what} broke off: ${why}`);
}
