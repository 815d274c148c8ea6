import { describe, expect, it } from "vitest";
import { Asking } from "../helpers/asking.js";
import { endpointsOf, startModel, type Turn } from "../helpers/scripted-model.js";

const done: Turn = { quiet: "hello back" };
const refused = (message: string, status = 400): Turn => ({
  status,
  body: { error: { message, type: "invalid_request_error" } },
});

describe("an endpoint that only streams", () => {
  it.each([
    "This model only support stream mode, please enable the stream parameter to access the model. ",
    "parameter.enable_thinking must be set to false for non-streaming calls",
    "enable thinking can not be support when `stream=False`.",
    "Requests with max_tokens > 4096 must have stream=true",
    "Stream must be set to true",
  ])("is asked for streams from then on: %s", async (message) => {
    await using model = await startModel({ worker: [refused(message), done, done] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    await asking.ask();
    await asking.ask();
    expect(model.requests.map(({ body }) => body.stream)).toEqual([undefined, true, true]);
    expect(model.requests[1]?.body).toMatchObject({ stream_options: { include_usage: true } });
    expect(asking.leftOut).toEqual([
      { parameter: "a reply in one piece", sentInstead: "stream=true", reason: `HTTP 400: ${message.trim()}` },
    ]);
    expect(asking.retries).toEqual([]);
  });

  it("that refuses the stream as well ends the question", async () => {
    const words = refused("Stream must be set to true");
    await using model = await startModel({ worker: [words, words, done] });
    const asking = new Asking(endpointsOf(model.baseUrl));
    expect(await asking.failure()).toMatchObject({ code: "infra" });
    expect(model.requests).toHaveLength(2);
  });
});
