import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { Api } from "../../runner/base/apis.js";
import { Interrupted } from "../../runner/base/errors.js";
import type { ModelLimits } from "../../runner/model/openai-client.js";
import { ContextFull, type ModelReply } from "../../runner/model/port/model-client.js";
import { WatchedModel } from "../../runner/model/port/watched-model.js";
import type { Endpoints } from "../../runner/settings/endpoints.js";
import { Asking, question } from "../helpers/asking.js";
import { ResponsesFront } from "../helpers/responses-front.js";
import { canaryKey, endpointsOf, startModel, type Turn } from "../helpers/scripted-model.js";
import { bodyOf, type Stream, StreamingFront, type StreamRules } from "../helpers/streaming-front.js";

const done: Turn = { quiet: "hello back" };
const called: Turn = {
  calls: [
    ["bash", { command: "echo größe 🌱" }],
    ["bash", { command: "ls" }],
  ],
  content: "I look – ganz genau.",
  reasoning: "Où est-ce ? 思考",
  usage: { prompt: 50, completion: 12 },
  cost: 0.25,
};
const apis: readonly Api[] = ["chat", "responses"];
/** one fault or none, and then the honest stream */
const once = (body: (events: readonly string[]) => Stream | null): StreamRules => ({
  instead: (events, nth) => (nth === 1 ? body(events) : null),
});

class Streaming implements AsyncDisposable {
  readonly front: StreamingFront;
  readonly endpoints: Endpoints;
  readonly #behind: readonly AsyncDisposable[];

  private constructor(front: StreamingFront, api: Api, behind: readonly AsyncDisposable[]) {
    const { worker, ...others } = endpointsOf(front.baseUrl);
    this.front = front;
    this.endpoints = { ...others, worker: { ...worker, api } };
    this.#behind = behind;
  }

  static async start(worker: readonly Turn[], rules: StreamRules = {}, api: Api = "chat"): Promise<Streaming> {
    const model = await startModel({ worker });
    const responses = await ResponsesFront.start(model.baseUrl);
    const { baseUrl } = api === "chat" ? model : responses;
    return new Streaming(await StreamingFront.start(baseUrl, rules), api, [responses, model]);
  }

  asking(limits: Partial<ModelLimits> = {}): Asking {
    return new Asking(this.endpoints, { stream: true, ...limits });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [this.front, ...this.#behind]) await server[Symbol.asyncDispose]();
  }
}

/** A reply without the time that it took and the address it came from. */
function saidIn({ ms: _, ...reply }: ModelReply): unknown {
  return JSON.parse(JSON.stringify(reply).replace(/127\.0\.0\.1:\d+/g, "there"));
}

async function answer(worker: readonly Turn[], rules: StreamRules, api: Api, stream: boolean): Promise<unknown> {
  await using streaming = await Streaming.start(worker, rules, api);
  return saidIn(await streaming.asking({ stream }).ask());
}

describe("an answer of another type than it says", () => {
  const answered = async (type: string, body: string) => {
    await using model = await startModel({
      worker: [{ status: 200, headers: { "content-type": type }, body }, { status: 503 }],
    });
    const asking = new Asking(endpointsOf(model.baseUrl), { stream: true, maxOutageMinutes: 0 });
    return { end: await asking.ask().catch((error: unknown) => error), asking };
  };

  it("is read as a stream when it is one", async () => {
    const chunk = { choices: [{ index: 0, delta: { content: "hello" }, finish_reason: "stop" }] };
    const { end, asking } = await answered("text/plain", `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    expect(end).toMatchObject({ message: { content: "hello" }, finishReason: "stop" });
    expect(asking.retries).toEqual([]);
  });

  it("is read as an error when it is one", async () => {
    const { asking } = await answered("text/event-stream", JSON.stringify({ error: { message: "no such model" } }));
    expect(asking.retries[0]?.reason).toBe("an error in place of a reply: no such model");
  });
});

describe.each(apis)("a streamed reply over %s", (api) => {
  it.each<[string, StreamRules]>([
    ["all at once", {}],
    ["a character in each event", { piece: 1 }],
    ["in pieces of a byte, which cut its letters", { bytes: 1, piece: 4 }],
    ["in pieces of seven bytes, with pings between", { bytes: 7, between: ": ping\n\nevent: ping\n\n" }],
    ["with other ends of lines", { lineEnd: "\r\n" }],
    ["with old ends of lines, in pieces", { lineEnd: "\r", bytes: 5 }],
    ["whose last event leaves out the items", { emptied: true }],
    ["by an endpoint that answers plainly all the same", { ignores: true }],
  ])("equals the one that comes whole: %s", async (_, rules) => {
    for (const turn of [called, done, { empty: true } as const, { cut: ["bash", { command: "ls" }] } as const])
      expect(await answer([turn], rules, api, true)).toEqual(await answer([turn], {}, api, false));
  });

  it("is requested with its usage, and only when a person wants it", async () => {
    await using streaming = await Streaming.start([done, done], {}, api);
    await streaming.asking().ask();
    await streaming.asking({ stream: false }).ask();
    const [asked, plain] = streaming.front.asked.map(({ body }) => body);
    expect(asked).toMatchObject({
      stream: true,
      ...(api === "chat" ? { stream_options: { include_usage: true } } : {}),
    });
    expect([asked?.stream_options === undefined, plain?.stream]).toEqual([api === "responses", undefined]);
  });

  it.each<[string, StreamRules, RegExp]>([
    ["dropped half way", once((events) => half(events, "reset")), /connection broke/],
    ["ended half way", once((events) => half(events, "end")), /the stream ended before the reply did/],
    ["ended before its first event", once(() => ({ body: "", after: "end" })), /the stream ended before/],
    ["of garbage", once(() => ({ body: "data: <html>\n\n", after: "end" })), /no JSON/],
    [
      "with an error in its midst",
      once(() => failing({ message: "overloaded" })),
      /an error in place of a reply: .*overloaded/,
    ],
    [
      "with an error that names a status",
      once(() => failing({ message: "slow down", code: 429 })),
      /HTTP 429: slow down/,
    ],
    ["of more than 32 MB", once(() => ({ body: `: ${"x".repeat(33 * 1024 * 1024)}\n\n`, after: "end" })), /32 MB/],
  ])("%s is waited out like any other fault", async (_, rules, reason) => {
    await using streaming = await Streaming.start([called, called], rules, api);
    const asking = streaming.asking();
    const reply = await asking.ask();
    expect(asking.retries).toMatchObject([{ attempt: 1, reason: expect.stringMatching(reason) }]);
    expect(reply.message.calls).toHaveLength(2);
  });

  it("with an error that no retry mends ends the question", async () => {
    await using streaming = await Streaming.start(
      [done],
      once(() => failing({ message: "bad key", code: 401 })),
      api,
    );
    expect(await streaming.asking().failure()).toMatchObject({ code: "provider_denied" });
    await using full = await Streaming.start(
      [done],
      once(() => failing({ message: "no", code: "context_length_exceeded" })),
      api,
    );
    expect(await full.asking().failure()).toBeInstanceOf(ContextFull);
    const said =
      '{"code":400,"message":"the request exceeds the available context size. try increasing the context size"}';
    const local = once(() => ({ body: `error: ${said}\n\ndata: [DONE]\n\n`, after: "end" }));
    await using fullToo = await Streaming.start([done], local, api);
    expect(await fullToo.asking().failure()).toBeInstanceOf(ContextFull);
  });

  it("that never ends is given up after the request's time-out, however often it pings", async () => {
    const rules = once((events) => half(events, "ping"));
    await using streaming = await Streaming.start([called, called], rules, api);
    const asking = streaming.asking({ requestTimeoutSeconds: 1 });
    await asking.ask();
    expect(asking.retries[0]?.reason).toBe("timed out");
  });

  it("whose words are slow to come is waited for, with pings between", async () => {
    await using streaming = await Streaming.start(
      [called],
      { bytes: 400, between: ": still here\n\n", pauseMs: 10 },
      api,
    );
    const asking = streaming.asking();
    expect((await asking.ask()).message.calls).toHaveLength(2);
    expect(asking.retries).toEqual([]);
  });

  it("is left at once when a person says so, and leaves no listener", async () => {
    await using streaming = await Streaming.start(
      [called],
      once((events) => half(events, "ping")),
      api,
    );
    const stop = new AbortController();
    const onProgress = () => stop.abort();
    const failure = await streaming.asking().failure({}, { signal: stop.signal, onProgress });
    expect(failure).toBeInstanceOf(Interrupted);
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });

  it("is reported as it comes in", async () => {
    const told: number[] = [];
    await using streaming = await Streaming.start([called], { piece: 1, bytes: 2_000, pauseMs: 30 }, api);
    const { client } = streaming.asking();
    const { signal } = new AbortController();
    const watched = new WatchedModel(client, (chars) => told.push(chars));
    await watched.complete(question, { signal, onRetry: () => {}, onLeftOut: () => {} });
    expect(told.length).toBeGreaterThan(0);
    expect(told).toEqual([...told].sort((one, other) => one - other));
  });

  it("shows no key, even one that came in pieces", async () => {
    const leaking: Turn = {
      calls: [["bash", { command: canaryKey }]],
      content: `it is ${canaryKey}`,
      reasoning: canaryKey,
    };
    await using streaming = await Streaming.start([leaking], { piece: 3, bytes: 5 }, api);
    const reply = await streaming.asking().ask();
    expect(reply.message.calls).toHaveLength(1);
    expect(JSON.stringify(reply)).not.toContain("CANARY");
    const error = failing({ message: `${"x".repeat(280)} ${canaryKey}`, code: 401 });
    await using denying = await Streaming.start(
      [done],
      once(() => error),
      api,
    );
    const failure = await denying.asking().failure();
    expect(failure).toMatchObject({ code: "provider_denied" });
    expect(String(failure)).not.toContain(canaryKey.slice(0, 10));
  });
});

describe("an endpoint that streams on its own terms", () => {
  const refusal = (param: string) => ({
    status: 400,
    body: {
      error: { message: `Unrecognized request argument supplied: ${param}`, type: "invalid_request_error", param },
    },
  });

  it("is not asked for usage any more once it refused that, and is still streamed", async () => {
    await using streaming = await Streaming.start([refusal("stream_options"), called, called]);
    const asking = streaming.asking();
    const replies = [await asking.ask(), await asking.ask()];
    expect(asking.leftOut).toMatchObject([{ parameter: "stream_options", sentInstead: null }]);
    const asked = streaming.front.asked.map(({ body }) => [body.stream, body.stream_options !== undefined]);
    expect(asked).toEqual([
      [true, true],
      [true, false],
      [true, false],
    ]);
    expect(replies.map(({ usage }) => usage.estimated)).toEqual([true, true]);
  });

  it("is asked without a stream once it refused one, and without what only goes with a stream", async () => {
    await using streaming = await Streaming.start([refusal("stream"), called, called]);
    const asking = streaming.asking();
    const replies = [await asking.ask(), await asking.ask()];
    expect(asking.leftOut).toMatchObject([{ parameter: "stream", sentInstead: null }]);
    const asked = streaming.front.asked.map(({ body }) => [body.stream, body.stream_options]);
    expect(asked).toEqual([
      [true, { include_usage: true }],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(replies.map(({ usage }) => usage.promptTokens)).toEqual([50, 50]);
  });

  it.each(["This model doesn't support tool use in streaming mode.", "Streaming is not supported for this model"])(
    "is asked without a stream when it refuses one in other words: %s",
    async (message) => {
      await using streaming = await Streaming.start([{ status: 400, body: { error: { message } } }, called]);
      const asking = streaming.asking();
      await asking.ask();
      expect(asking.leftOut).toMatchObject([{ parameter: "stream", sentInstead: null }]);
      expect(streaming.front.asked.map(({ body }) => body.stream)).toEqual([true, undefined]);
    },
  );

  it("may stream though nobody asked for it", async () => {
    const body = bodyOf(['{"choices":[{"delta":{"content":"hello"},"finish_reason":"stop"}]}', "[DONE]"]);
    const turn: Turn = { status: 200, headers: { "content-type": "Text/Event-Stream" }, body };
    await using model = await startModel({ worker: [turn] });
    expect((await new Asking(endpointsOf(model.baseUrl)).ask()).message.content).toBe("hello");
  });

  it("may leave out the last event when it said why it stopped", async () => {
    const rules = once((events) => ({ body: bodyOf(events.slice(0, -1)), after: "end" }));
    expect(await answer([called], rules, "chat", true)).toEqual(await answer([called], {}, "chat", false));
  });

  it("may break the connection then, and the reply is not asked for twice", async () => {
    const rules = once((events) => ({ body: bodyOf(events.slice(0, -1)), after: "reset" }));
    await using streaming = await Streaming.start([called, called], rules);
    const asking = streaming.asking();
    expect((await asking.ask()).message.calls).toHaveLength(2);
    expect([asking.retries, streaming.front.asked.length]).toEqual([[], 1]);
  });
});

function half(events: readonly string[], after: Stream["after"]): Stream {
  const body = bodyOf(events.slice(0, events.length / 2));
  // a ping never stands in the middle of an event
  return { body: after === "ping" ? body : body.slice(0, -9), after };
}

function failing(error: object): Stream {
  return { body: bodyOf([JSON.stringify({ error })]), after: "end" };
}
