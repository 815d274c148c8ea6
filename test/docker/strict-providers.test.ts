import { expect, it } from "vitest";
import { demoScript } from "../../runner/demo/demo-script.js";
import type { Script, ScriptedRequest, Turn } from "../../runner/demo/script/script.js";
import { openModelClient } from "../../runner/model/openai-client.js";
import { isWhole } from "../helpers/every.js";
import { LoopSession } from "../helpers/loop-session.js";
import { bash, caseOf, write } from "../helpers/loop-turns.js";
import { endpointsOf, startModel } from "../helpers/scripted-model.js";
import { type Strictness, strictly, strictProviders, wantingBack } from "../helpers/strict-providers.js";
import { Tilth } from "../helpers/tilth.js";

/** Takes several steps for each task, with calls beside one another, and words of the harness in between. */
function worker({ messages }: ScriptedRequest): Turn {
  const n = /^1\. Criterion of (\d+)$/m.exec(messages.map(({ content }) => String(content)).join("\n"))?.[1];
  const steps: readonly Turn[] = [
    { calls: [bash("ls"), bash("pwd")], content: "I look around." },
    { quiet: "I think." },
    { calls: [write("notes.txt", "nothing yet\n")] },
    { calls: [write(`feature_${n}.py`, `value = ${n}\n`), ["submit_case", caseOf()]] },
  ];
  return steps[messages.filter(({ role }) => role === "assistant").length] ?? { quiet: "There is no more." };
}

const play: Script = { worker };

async function session(rules: Strictness, forgetful: boolean) {
  const loop = await LoopSession.open({ tasks: 5 });
  await using model = await startModel(strictly(rules, play, forgetful));
  const client = openModelClient(
    endpointsOf(model.baseUrl),
    { requestTimeoutSeconds: 20, maxOutageMinutes: 10 },
    { session: loop.files.id, clock: loop.clock },
  );
  const { end } = await loop.runOn(client);
  return { stop: end.stop, statuses: loop.statuses, requests: model.requests };
}

it.each(Object.entries(strictProviders))("%s accepts every request of a session of five tasks", async (_, rules) => {
  const { stop, statuses } = await session(rules, false);
  expect(stop).toMatchObject({ reason: "all_done", detail: "" });
  expect(statuses).toEqual(Array.from({ length: 5 }, () => "done"));
});

it.each(wantingBack)(
  "%s refuses the second call of a client that keeps only what every provider has",
  async (_, rules) => {
    const { stop, statuses, requests } = await session(rules, true);
    expect([stop.reason, statuses[0]]).toEqual(["infra", "pending"]);
    expect(stop.detail).toMatch(/HTTP 400: (?!\[).*(thought_signature|`thinking`|thought signature)/);
    expect(requests).toHaveLength(2);
  },
);

// the gate's tests are above: five tasks, on hands in memory
it.each(isWhole ? Object.entries(strictProviders) : [])("the demo runs to its end through %s", async (_, rules) => {
  await using model = await startModel(strictly(rules, demoScript));
  using tilth = new Tilth(Tilth.endpoint(model));
  const { code, stdout } = await tilth.run(["demo", "--live"]);
  expect(stdout.match(/^[0-9a-f]{7} (T-00[1-5]|seed): /gm)).toHaveLength(6);
  expect(code).toBe(0);
});
