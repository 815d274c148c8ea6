import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { type Fields, Front, type FrontRequest } from "./front.js";
import { chunksOf, responseEventsOf } from "./stream-chunks.js";

export interface StreamRules {
  /** characters of words in one event */
  readonly piece?: number;
  /** bytes in one write; everything in one by default */
  readonly bytes?: number;
  /** milliseconds between two writes */
  readonly pauseMs?: number;
  /** text between two events: comments, empty lines */
  readonly between?: string;
  readonly lineEnd?: "\n" | "\r\n" | "\r";
  /** the last event of a reply leaves its items out (Responses) */
  readonly emptied?: boolean;
  /** sends something else in place of the events */
  readonly instead?: (events: readonly string[], nth: number) => Stream | null;
  /** answers without a stream, even if one is asked for */
  readonly ignores?: boolean;
}

/** The bytes of a body, and what happens to the connection after it. */
export interface Stream {
  readonly body: string | Buffer;
  readonly after: "end" | "reset" | "stall" | "ping";
}

/** Streams when it is asked to, in front of a server that only ever answers whole. */
export class StreamingFront extends Front {
  readonly #rules: StreamRules;
  #streams = 0;

  private constructor(behind: string, rules: StreamRules) {
    super(behind);
    this.#rules = rules;
  }

  static start(behind: string, rules: StreamRules = {}): Promise<StreamingFront> {
    return new StreamingFront(behind, rules).listen();
  }

  protected override async serve(
    asked: FrontRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { path } = asked;
    const { stream, stream_options, ...body } = asked.body;
    const answer = await this.pass({ path, body }, request);
    const text = await answer.text();
    if (answer.status !== 200 || stream !== true || this.#rules.ignores) {
      response.writeHead(answer.status, { ...limitsIn(answer.headers), "content-type": "application/json" });
      response.end(text);
      return;
    }
    const told = this.#told(path, JSON.parse(text) as Fields, stream_options !== undefined);
    await this.#stream(response, limitsIn(answer.headers), told);
  }

  #told(path: string, answer: Fields, countsUsage: boolean): Stream {
    const { piece = 3, between = "", lineEnd = "\n", emptied, instead } = this.#rules;
    const { usage: _, ...uncounted } = answer;
    const events =
      path === "/responses"
        ? responseEventsOf(answer, piece, emptied)
        : chunksOf(countsUsage ? answer : uncounted, piece);
    this.#streams += 1;
    const other = instead?.(events, this.#streams) ?? null;
    if (other !== null) return other;
    return { body: bodyOf(events, between, lineEnd), after: "end" };
  }

  async #stream(response: ServerResponse, headers: Limits, { body, after }: Stream): Promise<void> {
    response.writeHead(200, { ...headers, "content-type": "text/event-stream; charset=utf-8" });
    response.flushHeaders();
    const bytes = Buffer.from(body);
    const { bytes: size = bytes.length, pauseMs } = this.#rules;
    for (let at = 0; at < bytes.length; at += size) {
      await new Promise((resolve) => response.write(bytes.subarray(at, at + size), resolve));
      await (pauseMs === undefined ? new Promise(setImmediate) : wait(pauseMs));
    }
    if (after === "end") response.end();
    if (after === "reset") response.socket?.destroy();
    while (after === "ping" && !response.destroyed) {
      response.write(": still here\n\n");
      await wait(10);
    }
  }
}

type Limits = Readonly<Record<string, string>>;

/** The headers of an answer that say when to ask again. */
function limitsIn(headers: Headers): Limits {
  return Object.fromEntries([...headers].filter(([name]) => /^retry-after|ratelimit/.test(name)));
}

/** The events as they go over the wire. */
export function bodyOf(events: readonly string[], between = "", lineEnd = "\n"): string {
  return events.map((data) => `data: ${data}\n\n${between}`.replaceAll("\n", lineEnd)).join("");
}
