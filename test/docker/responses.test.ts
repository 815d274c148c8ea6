import { describe, expect, it } from "vitest";
import type { Api } from "../../runner/base/apis.js";
import { demoScript } from "../../runner/demo/demo-script.js";
import { openModelClient } from "../../runner/model/openai-client.js";
import type { KnownApis } from "../../runner/model/speech.js";
import type { Endpoint, Endpoints } from "../../runner/settings/endpoints.js";
import { eventfulPlay } from "../helpers/eventful-play.js";
import { isWhole } from "../helpers/every.js";
import { LoopSession } from "../helpers/loop-session.js";
import { type FrontRules, ResponsesFront } from "../helpers/responses-front.js";
import { canaryKey, endpointsOf, startModel } from "../helpers/scripted-model.js";
import { Tilth } from "../helpers/tilth.js";

interface SessionRules {
  readonly rules?: FrontRules;
  readonly api?: Endpoint["api"];
  readonly known?: KnownApis;
}

async function session({ rules = {}, api = "responses", known }: SessionRules) {
  const loop = await LoopSession.open({ tasks: 3 });
  await using model = await startModel(eventfulPlay);
  await using front = await ResponsesFront.start(model.baseUrl, rules);
  const client = openModelClient(
    speaking(front.baseUrl, api),
    { requestTimeoutSeconds: 20, maxOutageMinutes: 10 },
    { session: loop.files.id, clock: loop.clock, ...(known === undefined ? {} : { known }) },
  );
  const { end, events } = await loop.runOn(client);
  const of = (type: string) => events.filter((event) => event.type === type).map(({ payload }) => payload);
  return { stop: end.stop, statuses: loop.statuses, asked: front.asked, all: events, of };
}

function speaking(baseUrl: string, api: Endpoint["api"]): Endpoints {
  const { worker, evaluator, interviewer } = endpointsOf(baseUrl);
  return { worker: { ...worker, api }, evaluator: { ...evaluator, api }, interviewer: { ...interviewer, api } };
}

function remembering(): KnownApis & { readonly kept: Map<string, Api> } {
  const kept = new Map<string, Api>();
  return { kept, of: ({ model }) => kept.get(model) ?? null, keep: ({ model }, api) => void kept.set(model, api) };
}

const paths = (asked: readonly { readonly path: string }[]) => [...new Set(asked.map(({ path }) => path))];

describe("a session over the Responses interface", () => {
  it("comes to the same commits as over chat completions, and stores nothing at the endpoint", async () => {
    const [chat, responses] = [await session({ api: "chat" }), await session({ api: "responses" })];
    expect(responses.stop).toMatchObject({ reason: "all_done", detail: "" });
    expect([paths(chat.asked), paths(responses.asked)]).toEqual([["/chat/completions"], ["/responses"]]);
    const commits = (run: typeof chat) => run.of("commit").map((payload) => Reflect.get(payload, "tree"));
    expect(commits(responses)).toEqual(commits(chat));
    expect(commits(chat)).toHaveLength(3);
    for (const { body } of responses.asked)
      expect(body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
  });

  it("is refused at its second call when reasoning does not go back", async () => {
    const { stop, statuses, asked } = await session({ rules: { forgetful: true } });
    expect([stop.reason, statuses[0]]).toEqual(["infra", "pending"]);
    expect(stop.detail).toMatch(/without its required 'reasoning' item/);
    expect(asked).toHaveLength(2);
  });

  it("shows no key that the endpoint repeats, neither in the log nor in what goes back", async () => {
    const { stop, asked, all } = await session({ rules: { echo: canaryKey } });
    expect(stop.reason).toBe("all_done");
    for (const held of [JSON.stringify(asked), JSON.stringify(all)]) {
      expect(held).not.toContain(canaryKey);
      expect(held).toContain("[masked key]");
    }
  });

  it("goes on with a model that seals nothing, and sends none of its reasoning back", async () => {
    const { stop, of, asked } = await session({ rules: { sealsNothing: true } });
    expect(stop.reason).toBe("all_done");
    expect(of("parameter_left_out").map((payload) => Reflect.get(payload, "parameter"))).toContain("include");
    expect(JSON.stringify(asked)).not.toContain('"type":"reasoning"');
  });
});

describe("the choice of an endpoint's interface", () => {
  it("moves to Responses once the endpoint says so, and starts with it from the next session on", async () => {
    const known = remembering();
    const first = await session({ rules: { wantsResponses: true }, api: "auto", known });
    expect(first.stop.reason).toBe("all_done");
    const worker = first.asked.filter(({ body }) => body.model === "scripted-worker").map(({ path }) => path);
    expect(worker.filter((path) => path === "/chat/completions")).toHaveLength(1);
    expect(first.of("parameter_left_out")).toContainEqual(
      expect.objectContaining({ parameter: "/chat/completions", sent_instead: "/responses" }),
    );
    expect([...known.kept]).toEqual([
      ["scripted-worker", "responses"],
      ["scripted-evaluator", "responses"],
    ]);
    const second = await session({ rules: { wantsResponses: true }, api: "auto", known });
    expect(paths(second.asked)).toEqual(["/responses"]);
  });

  it("falls back to chat completions without its reasoning where Responses is not to be had", async () => {
    const known = remembering();
    const rules = { wantsResponses: true, hasNoResponses: true };
    const { stop, asked } = await session({ rules, api: "auto", known });
    expect(stop.reason).toBe("all_done");
    expect(asked.filter(({ path }) => path === "/responses")).toHaveLength(2);
    const last = asked.filter(({ body }) => "tools" in body).at(-1);
    expect(last).toMatchObject({ path: "/chat/completions", body: { reasoning_effort: "none" } });
    expect(known.kept.size).toBe(0);
  });

  it("does not come back to an interface that the endpoint has lost", async () => {
    const known = remembering();
    known.kept.set("scripted-worker", "responses");
    const { stop } = await session({ rules: { hasNoResponses: true }, api: "auto", known });
    expect(stop.reason).toBe("all_done");
    expect(known.kept.get("scripted-worker")).toBe("chat");
  });

  it("stays with the one that a person named, whatever the endpoint says", async () => {
    const { stop, asked } = await session({ rules: { hasNoResponses: true }, api: "responses" });
    expect(stop.reason).toBe("provider_denied");
    expect(paths(asked)).toEqual(["/responses"]);
  });
});

it.each(isWhole ? [{}, { wantsResponses: true }] : [])(
  "the demo runs to its end over the Responses interface: %j",
  async (rules) => {
    await using model = await startModel(demoScript);
    await using front = await ResponsesFront.start(model.baseUrl, rules);
    const api = "wantsResponses" in rules ? "auto" : "responses";
    using tilth = new Tilth({ ...Tilth.endpoint(front), TILTH_API: api });
    const { code, stdout } = await tilth.run(["demo", "--live"]);
    expect(stdout.match(/^[0-9a-f]{7} (T-00[1-5]|seed): /gm)).toHaveLength(6);
    expect([code, front.asked.at(-1)?.path]).toEqual([0, "/responses"]);
  },
);
