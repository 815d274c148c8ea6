import { describe, expect, test } from "vitest";
import { examineLive, type Live } from "../../../runner/app/doctor/doctor-live.js";
import { sharedEndpoints } from "../../../runner/app/doctor/shared-endpoints.js";
import { liveReportSchema } from "../../../runner/app/shapes/json-shapes.js";
import { Interrupted } from "../../../runner/base/errors.js";
import type { Prices } from "../../../runner/base/prices.js";
import type { Script, ScriptedRequest, Turn } from "../../../runner/demo/script/script.js";
import { type Endpoints, untuned } from "../../../runner/settings/endpoints.js";
import { loopSettings } from "../../helpers/loop-settings.js";
import { ResponsesFront } from "../../helpers/responses-front.js";
import { scratch } from "../../helpers/scratch.js";
import { canaryKey, endpointsOf, startModel } from "../../helpers/scripted-model.js";
import { strictly, strictProviders, wantingBack } from "../../helpers/strict-providers.js";
import { answer, bothCalls, triedOut } from "../../helpers/trials.js";
import { bodyOf } from "../../helpers/wire-answers.js";

interface DoctorTrial {
  readonly home?: string;
  readonly prices?: Prices;
  readonly signal?: AbortSignal;
  readonly asking?: (request: number) => void;
}

/** Gives all roles the scripted worker's endpoint, so that it is asked once. */
function asOne(baseUrl: string, change: Partial<Endpoints["worker"]> = {}): Endpoints {
  const worker = { ...endpointsOf(baseUrl).worker, ...change };
  return { worker, evaluator: worker, interviewer: worker };
}

async function examined(endpoints: Endpoints, told: DoctorTrial = {}): Promise<Live> {
  const settings = { ...loopSettings(told.home ?? scratch(), {}), endpoints, prices: told.prices ?? {} };
  const live = await examineLive(settings, told.signal ?? new AbortController().signal, {
    asking: (_, request) => told.asking?.(request),
    retrying: () => undefined,
  });
  for (const report of live.reports) liveReportSchema.parse(report);
  expect(JSON.stringify(live)).not.toContain(canaryKey);
  return live;
}

async function triedWith(worker: Script["worker"], told: DoctorTrial & { change?: Partial<Endpoints["worker"]> } = {}) {
  await using model = await startModel(worker === undefined ? {} : { worker });
  const { findings, reports } = await examined(asOne(model.baseUrl, told.change), told);
  expect([findings.length, reports.length]).toEqual([1, 1]);
  return { finding: findings[0], report: reports[0], requests: model.requests };
}

describe("a model in doctor's live exchange", () => {
  test("calls two tools at once, gets their results with everything it sent, and answers", async () => {
    const { finding, report, requests } = await triedWith(triedOut);
    expect(finding).toMatchObject({ name: "exchange", ok: true, remedy: "" });
    expect(finding?.seen).toMatch(/^worker, evaluator, interviewer: "scripted-worker" at http/);
    expect(report).toMatchObject({
      roles: ["worker", "evaluator", "interviewer"],
      finished: true,
      ms: [expect.any(Number), expect.any(Number)],
      api: "chat",
      api_switched: false,
      called_tool: true,
      arguments_are_objects: true,
      parallel_calls: true,
      used_results: true,
      reasoning: "none_seen",
      second_call: { prompt_tokens: 100, cached_tokens: 0 },
      usage: "told",
      tokens: 240,
      cost: null,
      cost_from: null,
      left_out: [],
    });
    expect(requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ["system", "user"],
      ["system", "user", "assistant", "tool", "tool"],
    ]);
  });

  test("gets the same text both times, long enough for a provider's cache", async () => {
    const { requests } = await triedWith(triedOut);
    const [first, second] = requests.map(({ messages }) => String(messages[0]?.content));
    expect(first).toBe(second);
    // the densest tokenizers make a token of some five characters of plain English
    expect(first?.length).toBeGreaterThan(1_024 * 5);
  });

  test("may call one tool after the other, correct a call, and format its numbers in its own way", async () => {
    const { finding, report } = await triedWith([
      { calls: [["items_on_shelf", '"lamp oil"']] },
      { calls: [["items_on_shelf", { item: "lamp oils" }]] },
      { calls: [bothCalls[0]] },
      { empty: true },
      { calls: [bothCalls[1]] },
      { quiet: "**417** cans; 863¢ each." },
    ]);
    expect(finding?.ok).toBe(true);
    expect(report).toMatchObject({ parallel_calls: false, arguments_are_objects: false, used_results: true });
  });

  test("is reported when its answer does not use the results", async () => {
    const { finding, report } = await triedWith([
      { calls: bothCalls },
      { quiet: "There are 4170, and one costs 95 cents." },
    ]);
    expect([finding?.ok, report?.used_results]).toEqual([true, false]);
  });

  test.each<[string, object, object]>([
    [
      "caching, and reasoning that is taken back",
      { prompt_tokens: 1_600, completion_tokens: 30, prompt_tokens_details: { cached_tokens: 1_408 }, cost: 0.25 },
      { second_call: { prompt_tokens: 1_600, cached_tokens: 1_408 }, cost: 0.5, cost_from: "provider" },
    ],
    ["no cost, no cache", { prompt_tokens: 10, completion_tokens: 1 }, { cost: null, tokens: 22 }],
    ["no usage", {}, { usage: "estimated", second_call: null }],
  ])("is reported with %s", async (_, usage, seen) => {
    const thinking = { message: { role: "assistant", content: answer, reasoning_content: "I add it up." } };
    const calling = (request: ScriptedRequest): Turn => {
      const turn = triedOut(request);
      const text = bodyOf("calls" in turn ? { ...turn, reasoning: "I look both up." } : thinking, { usage });
      return { status: 200, body: text };
    };
    const { report } = await triedWith(calling);
    expect(report).toMatchObject({ finished: true, reasoning: "kept", ...seen });
  });

  test("is costed by the person's prices when the provider states no cost", async () => {
    const { report } = await triedWith(triedOut, { prices: { "scripted-worker": { input: 1, output: 5 } } });
    expect(report).toMatchObject({ cost: 0.0004, cost_from: "prices" });
  });

  test("goes on without a parameter that its endpoint refuses, and the report names it", async () => {
    const refusing = (request: ScriptedRequest): Turn =>
      "temperature" in request.body
        ? { status: 400, body: { error: { message: "Unsupported parameter: 'temperature'", param: "temperature" } } }
        : triedOut(request);
    const { finding, report } = await triedWith(refusing, { change: { tuning: { ...untuned, temperature: 1 } } });
    expect(finding?.ok).toBe(true);
    expect(report?.left_out).toEqual([
      { parameter: "temperature", sent_instead: null, reason: expect.stringContaining("Unsupported parameter") },
    ]);
  });

  test("goes on without its reasoning when its endpoint refuses to take that back", async () => {
    const refusing = (request: ScriptedRequest): Turn => {
      if (request.messages.some((message) => "reasoning_content" in message))
        return {
          status: 400,
          body: { error: { message: "messages[2].reasoning_content: Extra inputs are not permitted" } },
        };
      const turn = triedOut(request);
      if (!("calls" in turn)) return turn;
      const { message } = JSON.parse(bodyOf(turn)).choices[0];
      return { message: { ...message, reasoning_content: "I look both up." } };
    };
    const { finding, report } = await triedWith(refusing);
    expect([finding?.ok, report?.reasoning]).toEqual([true, "refused"]);
    expect(report?.left_out.map(({ parameter }) => parameter)).toEqual(["reasoning_content"]);
  });
});

describe("an unfinished exchange", () => {
  const noTools = /tool calls on where it is served, or name a model in TILTH_WORKER_MODEL/;
  test.each<[string, Script["worker"], RegExp, RegExp, object]>([
    [
      "an endpoint without tools",
      [{ quiet: "There are 12." }],
      /"scripted-worker" at http\S+ answered in words and called no tool$/,
      noTools,
      { called_tool: false, parallel_calls: null, second_call: null },
    ],
    [
      "calls that hold no object",
      [{ calls: [["items_on_shelf", "[1]"]] }, { quiet: "I give up." }],
      /called no tool$/,
      noTools,
      { called_tool: true, arguments_are_objects: false },
    ],
    ["calls without end", () => ({ calls: bothCalls }), /came to no answer within 6 requests$/, /MODEL$/, {}],
    [
      "nothing at all",
      () => ({ empty: true }),
      /came to no answer within 6 requests$/,
      /MODEL$/,
      { called_tool: false },
    ],
    [
      "a reply cut short",
      [{ cut: ["items_on_shelf", '{"item": "lam'] }],
      /had a reply cut off/,
      /^set TILTH_MAX_OUTPUT_TOKENS/,
      { called_tool: true },
    ],
    [
      "a context that is too small",
      [
        {
          status: 400,
          body: { error: { code: "context_length_exceeded", message: "maximum context length is 1000" } },
        },
      ],
      /^worker, evaluator, interviewer: "scripted-worker" at \S+ says: /,
      /^give the model a larger context/,
      { ms: [], called_tool: null },
    ],
    [
      "a key that is refused",
      [{ status: 401, body: { error: { message: `no such key: ${canaryKey}` } } }],
      /^worker, evaluator, interviewer: the model endpoint \S+ refused "scripted-worker": HTTP 401/,
      /TILTH_API_KEY/,
      { ms: [], model_answered: null, tokens: 0 },
    ],
    [
      "a limit that is used up",
      [{ status: 429, headers: { "retry-after": "60" }, body: { error: { message: "too fast" } } }],
      /gave no reply: HTTP 429: too fast$/,
      /^Try again later; if it stays so, check TILTH_BASE_URL\.$/,
      { called_tool: null },
    ],
    [
      "a second request that is refused",
      [{ calls: bothCalls }, { status: 400, body: "no" }],
      /gave no reply: HTTP 400/,
      /^Check /,
      { called_tool: true, parallel_calls: true, reasoning: null },
    ],
  ])("is one problem with one remedy: %s", async (_, worker, seen, remedy, report) => {
    const told = await triedWith(worker);
    expect(told.finding).toMatchObject({ ok: false, seen: expect.stringMatching(seen) });
    expect(told.finding?.remedy).toMatch(remedy);
    expect(told.report).toMatchObject({ finished: false, used_results: null, ...report });
  });

  test("is one problem with one remedy when nobody answers at the address", async () => {
    const { findings } = await examined(asOne("http://127.0.0.1:9/v1"));
    expect(findings).toEqual([
      {
        name: "exchange",
        ok: false,
        seen: expect.stringMatching(/gave no reply/),
        remedy: expect.stringMatching(/BASE_URL/),
      },
    ]);
  });

  test("is no problem when Ctrl-C ended it", async () => {
    const stopping = new AbortController();
    const asking = () => void setTimeout(() => stopping.abort(new Interrupted()), 20);
    await expect(triedWith([{ hang: true }], { signal: stopping.signal, asking })).rejects.toBeInstanceOf(Interrupted);
  });
});

describe("the exchange through the Responses interface", () => {
  test.each<["auto" | "responses", boolean]>([
    ["auto", true],
    ["responses", false],
  ])("comes to its end with TILTH_API=%s, and its sealed reasoning is taken back", async (api, switched) => {
    await using model = await startModel({ worker: triedOut });
    await using front = await ResponsesFront.start(model.baseUrl, { wantsResponses: true });
    const { findings, reports } = await examined(asOne(front.baseUrl, { api }));
    expect(findings[0]?.ok).toBe(true);
    expect(reports[0]).toMatchObject({
      api: "responses",
      api_switched: switched,
      reasoning: "kept",
      parallel_calls: true,
      left_out: [],
    });
  });

  test("remembers for the next time which interface it used, as a run does", async () => {
    await using model = await startModel({ worker: triedOut });
    await using front = await ResponsesFront.start(model.baseUrl, { wantsResponses: true });
    const told = { home: scratch() };
    await examined(asOne(front.baseUrl, { api: "auto" }), told);
    const { reports } = await examined(asOne(front.baseUrl, { api: "auto" }), told);
    expect(reports[0]).toMatchObject({ api: "responses", api_switched: false });
    expect(front.asked.map(({ path }) => path)).toEqual(["/chat/completions", ...Array(4).fill("/responses")]);
  });

  test("reports reasoning that cannot go back because it is not sealed", async () => {
    await using model = await startModel({ worker: triedOut });
    await using front = await ResponsesFront.start(model.baseUrl, { sealsNothing: true });
    const { findings, reports } = await examined(asOne(front.baseUrl, { api: "responses" }));
    expect(findings[0]?.ok).toBe(true);
    expect(reports[0]).toMatchObject({ reasoning: "not_returned", left_out: [{ parameter: "include" }] });
  });
});

describe("the exchange with a strict provider", () => {
  test.each(Object.entries(strictProviders))("succeeds with %s", async (_, rules) => {
    await using model = await startModel(strictly(rules, { worker: triedOut }));
    const { findings, reports } = await examined(asOne(model.baseUrl));
    expect(findings[0]?.ok).toBe(true);
    expect(reports[0]).toMatchObject({ used_results: true, left_out: [] });
  });

  test.each(wantingBack)(
    "is refused by %s at the second request when the client sends nothing back",
    async (_, rules) => {
      await using model = await startModel(strictly(rules, { worker: triedOut }, true));
      const { findings, reports } = await examined(asOne(model.baseUrl));
      expect(findings[0]).toMatchObject({ ok: false, seen: expect.stringContaining("HTTP 400") });
      expect(reports[0]?.ms).toHaveLength(1);
    },
  );

  test("counts a signature on a call as kept reasoning", async () => {
    const gemini = strictProviders["Gemini's compatible endpoint"];
    if (gemini === undefined) throw new Error("there is none");
    await using model = await startModel(strictly(gemini, { worker: triedOut }));
    const { reports } = await examined(asOne(model.baseUrl));
    expect(reports[0]?.reasoning).toBe("kept");
  });
});

test("roles with the same settings share one exchange, and any difference makes another", () => {
  const endpoints = asOne("http://127.0.0.1:9/v1");
  const rolesOf = (change: object) =>
    sharedEndpoints({ ...endpoints, evaluator: { ...endpoints.worker, ...change } }).map(({ roles }) => roles);
  expect(rolesOf({})).toEqual([["worker", "evaluator", "interviewer"]]);
  const apart = [["worker", "interviewer"], ["evaluator"]];
  for (const change of [
    { model: "other" },
    { apiKey: null },
    { api: "responses" },
    { baseUrl: "http://127.0.0.1:8/v1" },
    { tuning: { ...untuned, temperature: 0 } },
  ])
    expect(rolesOf(change)).toEqual(apart);
});
