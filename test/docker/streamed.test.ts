import { describe, expect, it } from "vitest";
import type { Api } from "../../runner/base/apis.js";
import { demoScript } from "../../runner/demo/demo-script.js";
import type { Script } from "../../runner/demo/script/script.js";
import { openModelClient } from "../../runner/model/openai-client.js";
import type { Endpoints } from "../../runner/settings/endpoints.js";
import { eventfulPlay } from "../helpers/eventful-play.js";
import { isWhole } from "../helpers/every.js";
import type { FrontRequest } from "../helpers/front.js";
import { LoopSession } from "../helpers/loop-session.js";
import { ResponsesFront } from "../helpers/responses-front.js";
import { endpointsOf, startModel } from "../helpers/scripted-model.js";
import { StreamingFront, type StreamRules } from "../helpers/streaming-front.js";
import { strictly, strictProviders } from "../helpers/strict-providers.js";
import { Tilth } from "../helpers/tilth.js";

type Fields = Readonly<Record<string, unknown>>;

interface SessionRules {
  readonly api?: Api;
  readonly stream?: boolean;
  readonly rules?: StreamRules;
  readonly play?: Script;
}

async function session({ api = "chat", stream = true, rules = {}, play = eventfulPlay }: SessionRules) {
  const loop = await LoopSession.open({ tasks: 3 });
  await using model = await startModel(play);
  await using responses = await ResponsesFront.start(model.baseUrl);
  await using front = await StreamingFront.start((api === "chat" ? model : responses).baseUrl, rules);
  const client = openModelClient(
    speaking(front.baseUrl, api),
    { requestTimeoutSeconds: 20, maxOutageMinutes: 10, stream },
    { session: loop.files.id, clock: loop.clock },
  );
  const { end, events } = await loop.runOn(client);
  const of = (type: string) => events.filter((event) => event.type === type).map(({ payload }) => payload as Fields);
  return {
    stop: end.stop,
    statuses: loop.statuses,
    asked: front.asked,
    types: events.map(({ type }) => type).sort(),
    of,
  };
}

function speaking(baseUrl: string, api: Api): Endpoints {
  const { worker, evaluator, interviewer } = endpointsOf(baseUrl);
  return { worker: { ...worker, api }, evaluator: { ...evaluator, api }, interviewer: { ...interviewer, api } };
}

/**
 * A provider's own words, as they are sent back to it; words of the harness are left out, because they differ from run
 * to run.
 */
function sentBack(asked: readonly FrontRequest[]): unknown {
  return asked.map(({ body: { messages, input } }) =>
    ((messages ?? input) as readonly Fields[]).map((one) =>
      one.role === "user" || one.role === "system" || one.role === "tool" || one.output !== undefined
        ? [one.role, one.type, one.tool_call_id, one.call_id]
        : one,
    ),
  );
}

const fine: StreamRules = { piece: 5, bytes: 97, between: ": ping\n\n" };

describe.each<Api>(["chat", "responses"])("a streamed session over %s", (api) => {
  it("comes to the same commits as one that is not streamed, and sends each reply back in the same way", async () => {
    const [plain, streamed] = [await session({ api, stream: false }), await session({ api, rules: fine })];
    expect(streamed.stop).toMatchObject({ reason: "all_done", detail: "" });
    expect(new Set(streamed.asked.map(({ body }) => body.stream))).toEqual(new Set([true]));
    expect(sentBack(streamed.asked)).toEqual(sentBack(plain.asked));
    expect(streamed.types).toEqual(plain.types);
    const commits = (run: typeof plain) => run.of("commit").map(({ tree }) => tree);
    expect(commits(streamed)).toEqual(commits(plain));
    expect(commits(streamed)).toHaveLength(3);
    const used = (run: typeof plain) =>
      run.of("model_call").map(({ prompt_tokens, eval_tokens }) => [prompt_tokens, eval_tokens]);
    expect(used(streamed)).toEqual(used(plain));
  });

  it("goes on when every second stream breaks off", async () => {
    const broken: StreamRules = {
      instead: (events, nth) =>
        nth % 2 === 1 ? { body: `data: ${events[0]}\n\n`, after: nth % 4 === 1 ? "end" : "reset" } : null,
    };
    const { stop, of } = await session({ api, rules: broken });
    expect(stop.reason).toBe("all_done");
    expect(of("model_retry")).toHaveLength(of("model_call").length);
  });
});

it.each(Object.entries(strictProviders))("%s accepts back what it streamed", async (_, rules) => {
  const { stop, statuses } = await session({ play: strictly(rules, eventfulPlay), rules: fine });
  expect(stop).toMatchObject({ reason: "all_done", detail: "" });
  expect(statuses).toEqual(["done", "done", "done"]);
});

// the gate's tests are above, on hands in memory
it.each(isWhole ? (["chat", "responses"] as const) : [])("the demo runs to its end streamed over %s", async (api) => {
  await using model = await startModel(demoScript);
  await using responses = await ResponsesFront.start(model.baseUrl);
  const rules = { piece: 20, bytes: 200, between: ": ping\n\n" };
  await using front = await StreamingFront.start((api === "chat" ? model : responses).baseUrl, rules);
  using tilth = new Tilth({ ...Tilth.endpoint(front), TILTH_API: api, TILTH_STREAM: "on" });
  const { code, stdout } = await tilth.run(["demo", "--live"]);
  expect(stdout.match(/^[0-9a-f]{7} (T-00[1-5]|seed): /gm)).toHaveLength(6);
  expect([code, new Set(front.asked.map(({ body }) => body.stream))]).toEqual([0, new Set([true])]);
});
