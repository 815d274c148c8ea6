import {
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import type { Meter } from "./relay.js";

/** Headers that belong to one connection and must not be passed on to the next. */
const hopByHop = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

interface Hop {
  readonly asked: IncomingMessage;
  readonly answer: ServerResponse;
  readonly upstream: Socket;
  readonly meter: Meter;
}

/** Forwards one plain request and its answer, each written anew: the other end sees only what was judged. */
export async function exchange(url: URL, { asked, answer, upstream, meter }: Hop): Promise<void> {
  const headers = { ...endToEnd(asked.headers), host: url.host };
  const path = `${url.pathname}${url.search}`;
  try {
    const request = httpRequest({ createConnection: () => upstream, method: asked.method, path, headers });
    request.on("error", () => upstream.destroy());
    const sending = pipeline(asked, meter.through("out"), request);
    const response = await responseTo(request);
    answer.writeHead(response.statusCode ?? 502, endToEnd(response.headers));
    await Promise.all([sending, pipeline(response, meter.through("in"), answer)]);
  } catch {
    if (!answer.headersSent) answer.writeHead(502).end();
    else answer.destroy();
  }
}

function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve).once("error", reject);
    request.once("close", () => reject(new Error("there was no answer")));
  });
}

function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.includes(name)));
}
