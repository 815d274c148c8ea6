import { expect, it } from "vitest";
import { demoScript } from "../../runner/demo/demo-script.js";
import { isWhole } from "../helpers/every.js";
import { ResponsesFront } from "../helpers/responses-front.js";
import { startModel } from "../helpers/scripted-model.js";
import { StreamingFront } from "../helpers/streaming-front.js";
import { Tilth } from "../helpers/tilth.js";

// what a gate tries is in test/loop/streamed.test.ts, on hands in memory
it.each(isWhole ? (["chat", "responses"] as const) : [])("the demo is streamed to its end over %s", async (api) => {
  await using model = await startModel(demoScript);
  await using responses = await ResponsesFront.start(model.baseUrl);
  const rules = { piece: 20, bytes: 200, between: ": ping\n\n" };
  await using front = await StreamingFront.start((api === "chat" ? model : responses).baseUrl, rules);
  using tilth = new Tilth({ ...Tilth.endpoint(front), TILTH_API: api, TILTH_STREAM: "on" });
  const { code, stdout } = await tilth.run(["demo", "--live"]);
  expect(stdout.match(/^[0-9a-f]{7} (T-00[1-5]|seed): /gm)).toHaveLength(6);
  expect([code, new Set(front.asked.map(({ body }) => body.stream))]).toEqual([0, new Set([true])]);
});
