import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Log } from "../cli/page/browser/log/log.js";
import { RunState } from "../cli/watch/run-state.js";
import { summariseUse } from "../runner/app/seeding/record-seed.js";
import { Findings } from "../runner/app/verify/log/findings.js";
import { Sums } from "../runner/app/verify/recorded/sums.js";
import { commitId, hostPath } from "../runner/base/ids.js";
import { ask } from "../runner/dialogue/ask.js";
import { Spend } from "../runner/dialogue/spend.js";
import { SessionStore, sessionJson } from "../runner/index.js";
import { decodeReply } from "../runner/model/chat/reply.js";
import type { ModelClient } from "../runner/model/port/model-client.js";
import { PricedModel } from "../runner/model/port/priced-model.js";
import { EventLog } from "../runner/session/log/event-log.js";
import { readEvents } from "../runner/session/log/event-reader.js";
import type { TaskSpan } from "../runner/session/log/events.js";
import type { SessionFiles } from "../runner/session/session-files.js";
import { summarise } from "../runner/session/summary/summary.js";
import type { Summary } from "../runner/session/summary/summary-schema.js";
import { noUsage, type Usage } from "../runner/session/summary/usage.js";
import { Masker } from "../runner/text/mask.js";
import { toolLooks } from "../runner/tools/roles.js";
import { JumpingClock } from "./helpers/asking.js";
import { spanOf, taskId } from "./helpers/page-session.js";
import { scratch } from "./helpers/scratch.js";
import { endpointsOf } from "./helpers/scripted-model.js";
import { oid } from "./session/event-fixtures.js";

/** The true numbers of tokens, whatever a provider calls them. */
interface Tokens {
  readonly fresh: number;
  readonly cached: number;
  readonly written: number;
  readonly plain: number;
  readonly reasoning: number;
}

const dialects = {
  openai: (tokens: Tokens) => ({
    ...whole(tokens),
    prompt_tokens_details: { cached_tokens: tokens.cached, cache_write_tokens: tokens.written },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  }),
  deepseek: (tokens: Tokens) => ({
    ...whole(tokens),
    prompt_cache_hit_tokens: tokens.cached,
    cache_creation_input_tokens: tokens.written,
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  }),
  litellm: (tokens: Tokens) => ({
    ...whole(tokens),
    prompt_tokens_details: { cached_tokens: 0, cache_creation_tokens: tokens.written },
    cache_read_input_tokens: tokens.cached,
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  }),
  xai: (tokens: Tokens) => ({
    ...whole(tokens),
    completion_tokens: tokens.plain,
    cached_tokens: tokens.cached,
    cache_creation_input_tokens: tokens.written,
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  }),
};

function whole({ fresh, cached, written, plain, reasoning }: Tokens): Record<string, number> {
  const [prompt_tokens, completion_tokens] = [fresh + cached + written, plain + reasoning];
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

const phases = ["worker", "evaluator", "self_improve"] as const;
type Phase = (typeof phases)[number];

interface Call {
  readonly kind: "call";
  readonly tokens: Tokens;
  readonly dialect: keyof typeof dialects;
  readonly phase: Phase;
  readonly task: number;
  /** the origin of a cost; with `prices` and `nobody` no provider tells one */
  readonly cost: "body" | "header" | "prices" | "nobody";
}
type Step = Call | { readonly kind: "commit"; readonly task: number } | { readonly kind: "restart" };

const some = fc.nat(3_000);
const task = fc.integer({ min: 1, max: 3 });
const call: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("call" as const),
  tokens: fc.record({ fresh: some, cached: some, written: some, plain: some, reasoning: some }),
  dialect: fc.constantFrom("openai", "deepseek", "litellm", "xai"),
  phase: fc.constantFrom(...phases),
  task,
  cost: fc.constantFrom("body", "header", "prices", "nobody"),
});
const commit: fc.Arbitrary<Step> = fc.record({ kind: fc.constant("commit" as const), task });
const restart: fc.Arbitrary<Step> = fc.record({ kind: fc.constant("restart" as const) });
const story = fc.array(
  fc.oneof({ arbitrary: call, weight: 8 }, { arbitrary: commit, weight: 1 }, { arbitrary: restart, weight: 1 }),
  { maxLength: 30 },
);

const price = { input: 2, cached: 0.25, cache_write: 3, output: 8 };
const pricing = { endpoints: endpointsOf("http://127.0.0.1:9/v1"), prices: { "a-priced-one": price } };
const toldUsd = 0.125;

/** A model whose replies tell the usage of a call as its provider would. */
function modelOf({ tokens, dialect, cost }: Call): ModelClient {
  const usage = { ...dialects[dialect](tokens), ...(cost === "body" ? { cost: toldUsd } : {}) };
  const model = cost === "prices" ? "a-priced-one" : "another";
  const text = JSON.stringify({ model, choices: [{ message: { content: "x" } }], usage });
  const headers = new Headers(cost === "header" ? { "x-litellm-response-cost": String(toldUsd) } : {});
  const context = { masker: new Masker([]), takenIds: new Set<string>(), provider: "p", model, promptChars: 4 };
  return { complete: async () => ({ ...decodeReply(text, headers, context), ms: 1 }) };
}

/** Lives through a story as runs do: each begins with the sums of the log, and asks models. */
async function live(files: SessionFiles, steps: readonly Step[]): Promise<{ spend: Spend; seen: RunState }> {
  const committed = new Set<number>();
  for (let at = 0; ; at += 1) {
    const used = (await summarise(files.paths.events, null)).usage;
    const [spend, seen] = [new Spend(used), new RunState({ prd: [], used }, 0)];
    using log = EventLog.open(files.paths.events, (text) => text);
    log.onEvent((event) => seen.heard(event, 0));
    for (let step = steps[at]; step?.kind !== "restart"; step = steps[++at]) {
      if (step === undefined) return { spend, seen };
      const span = spanOf(step.task, at);
      if (step.kind === "commit") {
        if (!committed.has(step.task)) accepted(log, span);
        committed.add(step.task);
        continue;
      }
      const deps = { events: log, spend, clock: new JumpingClock(), signal: new AbortController().signal };
      const role = step.phase === "evaluator" ? ("evaluator" as const) : ("worker" as const);
      const question = { role, phase: step.phase, attempt: 1, messages: [], tools: [], span };
      await ask({ ...deps, model: new PricedModel(modelOf(step), pricing) }, question);
    }
  }
}

function accepted(log: EventLog, span: TaskSpan): void {
  log.append("commit", { ...span, sha: oid("1"), tree: oid("2") });
  log.append("task_done", { ...span, sha: oid("1") });
}

/** The sums counted by hand, from the true numbers of tokens. */
function byHand(calls: readonly Call[]) {
  const sum = (of: (call: Call) => number) => calls.reduce((total, one) => total + of(one), 0);
  const prompt_tokens = sum(({ tokens }) => tokens.fresh + tokens.cached + tokens.written);
  const eval_tokens = sum(({ tokens }) => tokens.plain + tokens.reasoning);
  return {
    calls: calls.length,
    prompt_tokens,
    cached_tokens: sum(({ tokens }) => tokens.cached),
    cache_write_tokens: sum(({ tokens }) => tokens.written),
    eval_tokens,
    reasoning_tokens: sum(({ tokens }) => tokens.reasoning),
    total_tokens: prompt_tokens + eval_tokens,
    estimated_calls: 0,
    priced_calls: sum(({ cost }) => (cost === "prices" ? 1 : 0)),
  };
}

function usdByHand(calls: readonly Call[]): number | null {
  const known = calls.flatMap(({ cost, tokens: { fresh, cached, written, plain, reasoning } }) => {
    if (cost === "nobody") return [];
    const priced = (fresh * 2 + cached * 0.25 + written * 3 + (plain + reasoning) * 8) / 1e6;
    return [cost === "prices" ? priced : toldUsd];
  });
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
}

function expectUsage(usage: Usage | undefined, calls: readonly Call[]): void {
  expect(usage ?? noUsage()).toMatchObject(byHand(calls));
  const usd = usdByHand(calls);
  if (usd === null) expect(usage?.cost ?? null).toBeNull();
  else expect(usage?.cost).toBeCloseTo(usd, 9);
}

function countedByHand(calls: readonly Call[]): number {
  const { total_tokens, cached_tokens } = byHand(calls);
  return total_tokens - cached_tokens + Math.ceil(cached_tokens / 10);
}

const isCall = (step: Step): step is Call => step.kind === "call";
const ofPhase = (calls: readonly Call[], phase: Phase) => calls.filter((one) => one.phase === phase);
const ofTask = (calls: readonly Call[], id: string) => calls.filter((one) => taskId(one.task) === id);

interface Lived {
  readonly calls: readonly Call[];
  readonly steps: readonly Step[];
  readonly files: SessionFiles;
  readonly summary: Summary;
  readonly page: Log;
}

function expectSums({ calls, summary, page }: Lived): void {
  expectUsage(summary.usage, calls);
  expect(page.tallies.usage).toEqual(summary.usage);
  for (const phase of phases) expectUsage(summary.usage_by_role[phase], ofPhase(calls, phase));
  for (const { task_id, usage } of summary.tasks) {
    expectUsage(usage, ofTask(calls, task_id));
    expect(page.tallies.tasks.get(task_id)?.usage).toEqual(usage);
  }
}

function expectReceipts({ steps, summary, page }: Lived): void {
  const commits = steps.flatMap((step, at) => (step.kind === "commit" ? [{ id: taskId(step.task), at }] : []));
  const firsts = commits.filter(({ id }, at) => commits.findIndex((one) => one.id === id) === at);
  expect(summary.receipts.map(({ task_id }) => task_id)).toEqual(firsts.map(({ id }) => id));
  const shown = [...page.tallies.receipts.values()];
  for (const [index, { id, at }] of firsts.entries()) {
    const before = ofTask(steps.slice(0, at).filter(isCall), id);
    const receipt = summary.receipts[index];
    const { total_tokens: tokens, cached_tokens, cache_write_tokens, reasoning_tokens } = byHand(before);
    expect(receipt).toMatchObject({ tokens, cached_tokens, cache_write_tokens, reasoning_tokens });
    for (const phase of phases) expectUsage(receipt?.by_role?.[phase], ofPhase(before, phase));
    expect(Object.fromEntries(shown[index]?.byRole ?? [])).toEqual(receipt?.by_role);
    expect(shown[index]?.usage).toMatchObject({ total_tokens: receipt?.tokens, cost: receipt?.cost });
  }
}

/** Checks the log's own running total, line by line, and the findings of verify. */
async function expectLog({ calls, files, summary }: Lived): Promise<void> {
  const [findings, sums] = [new Findings(), new Sums(summary)];
  const totals: number[] = [];
  let line = 0;
  for await (const event of readEvents(files.paths.events)) {
    sums.add(event, ++line);
    if (event.type === "model_call") totals.push(event.payload.tokens_used_total);
  }
  expect(totals).toEqual(calls.map((_, at) => countedByHand(calls.slice(0, at + 1))));
  sums.compare(files.loadCheckpoint(), true, findings);
  expect(findings.differs).toEqual([]);
}

test("a hundred sessions' usage is the same to the token in log, summary, receipts, page, view, listing and verify", async () => {
  const store = new SessionStore(hostPath(scratch()));
  const differing = { allAlike: 0, roundedPerCall: 0 };
  const each = async (steps: readonly Step[]) => {
    const files = store.create({ source: hostPath("/code/todo"), baseCommit: commitId(oid("1")) });
    const { spend, seen } = await live(files, steps);
    files.updateCheckpoint(await summariseUse(files));
    const summary = files.loadSummary();
    if (summary === null) throw new Error("there is no summary");
    const page = new Log(toolLooks);
    for (const line of readFileSync(files.paths.events, "utf8").split("\n")) if (line !== "") page.add(line);
    const calls = steps.filter(isCall);
    const lived = { calls, steps, files, summary, page };
    expectSums(lived);
    expectReceipts(lived);
    await expectLog(lived);

    const [counted, { tokens, cost }] = [countedByHand(calls), sessionJson(store.row(files.id))];
    expect(seen.used).toEqual(summary.usage);
    expect([spend.tokens, seen.tokens, tokens]).toEqual([counted, counted, counted]);
    expect([spend.cost, cost]).toEqual([summary.usage.cost, summary.usage.cost]);
    if (summary.usage.total_tokens !== counted) differing.allAlike += 1;
    if (calls.reduce((sum, one) => sum + countedByHand([one]), 0) !== counted) differing.roundedPerCall += 1;
  };
  await fc.assert(fc.asyncProperty(story, each), { numRuns: 100 });
  // naive counts would have given other numbers
  expect(differing.allAlike).toBeGreaterThan(20);
  expect(differing.roundedPerCall).toBeGreaterThan(20);
});
