import { describe, expect, it } from "vitest";
import type { Api } from "../../../runner/base/apis.js";
import { RequestFailed } from "../../../runner/model/faults/endpoint-http.js";
import { interfaces } from "../../../runner/model/interfaces.js";
import { ChatAssembly } from "../../../runner/model/stream/chat-assembly.js";
import { readStream } from "../../../runner/model/stream/read-stream.js";
import { ServerEvents } from "../../../runner/model/stream/server-events.js";
import { NotACompletion } from "../../../runner/model/wire/answer.js";
import { chunksOf, responseEventsOf } from "../../helpers/stream-chunks.js";
import { bodyOf } from "../../helpers/streaming-front.js";

const calls = [
  { id: "1", type: "function", function: { name: "bash", arguments: '{"command":"echo größe 🌱"}' } },
  { id: "2", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } },
];
const completion = {
  choices: [
    { index: 0, message: { role: "assistant", content: "Où ?", tool_calls: calls }, finish_reason: "tool_calls" },
  ],
  usage: { prompt_tokens: 1 },
};
const response = {
  status: "completed",
  output: [{ type: "message", content: [{ type: "output_text", text: "Où ? 🌱" }] }],
};
const streams: Readonly<Record<Api, Buffer>> = {
  chat: Buffer.from(bodyOf(chunksOf(completion, 2), ": ping\n\n")),
  responses: Buffer.from(bodyOf(responseEventsOf(response, 2), ": ping\n\n")),
};

function streamOf(...chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

function read(body: ReadableStream<Uint8Array>, api: Api = "chat", onProgress = (_: number) => {}): Promise<string> {
  return readStream(body, { assembly: interfaces[api].assembly(), onProgress });
}

/** Takes whatever can be read, without asking for an end. */
function naively(bytes: Uint8Array): unknown {
  const assembly = new ChatAssembly();
  for (const event of new ServerEvents().take(Buffer.from(bytes).toString())) assembly.take(event);
  return Reflect.get(assembly.answer(), "choices");
}

describe.each(["chat", "responses"] as const)("a stream of %s", (api) => {
  const said = (text: string): unknown => Reflect.get(JSON.parse(text), api === "chat" ? "choices" : "output");
  const whole = api === "chat" ? completion.choices : response.output;

  it("that is cut at any byte gives the whole reply or none", async () => {
    const bytes = streams[api];
    const outcomes = new Map<string, number>();
    for (let cut = 0; cut < bytes.length; cut += 1) {
      const outcome = await read(streamOf(bytes.subarray(0, cut)), api).catch((error: unknown) => error);
      if (typeof outcome === "string") expect([cut, said(outcome)]).toEqual([cut, whole]);
      else expect(outcome).toBeInstanceOf(NotACompletion);
      const kind = typeof outcome === "string" ? "whole" : "none";
      outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
    }
    expect(outcomes.get("none")).toBeGreaterThan(bytes.length * 0.6);
    expect(said(await read(streamOf(bytes), api))).toEqual(whole);
  });

  it("says the same wherever its chunks end", async () => {
    const bytes = streams[api];
    for (const size of [1, 2, 3, 7, 64]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect(said(await read(streamOf(...chunks), api))).toEqual(whole);
    }
  });
});

it("a naive reader that does not wait for the end takes half a reply for a whole one", () => {
  const half = streams.chat.subarray(0, streams.chat.length / 2);
  expect(naively(half)).toMatchObject([{ message: { content: "Où ?", tool_calls: [{ function: { name: "bash" } }] } }]);
  expect(naively(half)).not.toEqual(completion.choices);
  expect(naively(streams.chat)).toEqual(completion.choices);
});

it.each([
  ["no JSON", "data: <html>\n\n", NotACompletion],
  ["no object", "data: 7\n\n", NotACompletion],
  ["nothing", "", NotACompletion],
  ["JSON without a stream", '{"choices":[]}', NotACompletion],
  [
    "an event nested too deep",
    `data: {"choices":[{"delta":{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}}]}\n\ndata: [DONE]\n\n`,
    NotACompletion,
  ],
  ["more than 32 MB of pings", `: ${"x".repeat(33 * 1024 * 1024)}\n\n`, RequestFailed],
])("a stream of %s is a fault", async (_, text, kind) => {
  await expect(read(streamOf(Buffer.from(text)))).rejects.toBeInstanceOf(kind);
});

it("nothing is waited for after the last event, and an open connection is let go", async () => {
  let cancelled: () => void = () => {};
  const isCancelled = new Promise<void>((resolve) => {
    cancelled = resolve;
  });
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(streams.chat),
    cancel: () => cancelled(),
  });
  expect(JSON.parse(await read(endless))).toMatchObject({ choices: completion.choices });
  await isCancelled;
});

it("a connection that breaks after the reply costs nothing of it, and one that breaks before is a fault", async () => {
  const breaking = (text: string) =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from(text)),
      pull: (controller) => controller.error(new Error("reset")),
    });
  const told = 'data: {"choices":[{"delta":{"content":"hello"}}]}\n\n';
  const ended = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';
  for (const after of ["", 'data: {"usage": {"prompt_to'])
    expect(JSON.parse(await read(breaking(told + ended + after)))).toMatchObject({
      choices: [{ message: { content: "hello" }, finish_reason: "stop" }],
    });
  await expect(read(breaking(told))).rejects.toBeInstanceOf(RequestFailed);
});

it("the amount that has come is reported, though not with each piece", async () => {
  const told: number[] = [];
  const chunks = Array.from({ length: 2_000 }, () => Buffer.from('data: {"choices":[{"delta":{"content":"ab"}}]}\n\n'));
  await read(streamOf(...chunks, Buffer.from("data: [DONE]\n\n")), "chat", (chars) => told.push(chars));
  expect(told[0]).toBe(2);
  expect(told.length).toBeLessThan(20);
});
