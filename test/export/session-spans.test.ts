import { describe, expect, test } from "vitest";
import { SessionSpans } from "../../runner/export/session-spans.js";
import { type EventType, eventPayloads, type Payload } from "../../runner/session/log/events.js";
import { inTask, logOf, modelCall, oid } from "../session/event-fixtures.js";
import { drawn, exported, factsOf, flaws, sessionId, spansIn } from "./forest.js";
import { type OtlpSpan, requestSchema } from "./otlp-schema.js";
import { at, interviewOnly, said, wholeSession } from "./whole-session.js";

const whole = spansIn(exported(wholeSession, new Map([["T-001", "The first task"]])));

function named(name: string, spans: readonly OtlpSpan[] = whole): readonly OtlpSpan[] {
  return spans.filter((span) => span.name === name);
}

function first(name: string, spans: readonly OtlpSpan[] = whole): OtlpSpan {
  const [found] = named(name, spans);
  if (found === undefined) throw new Error(`no span is named ${name}`);
  return found;
}

function tookMs({ startTimeUnixNano, endTimeUnixNano }: OtlpSpan): number {
  return Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1_000_000;
}

const run = { session: "s", source: "/s", base_commit: "0".repeat(40), version: "0", image: null, author: null };
const started: [EventType & "session_start", Payload<"session_start">] = ["session_start", { ...run, phase: "run" }];

describe("a whole session", () => {
  test("is a tree of spans for each attempt at a task, and one for the session", () => {
    const types = new Set<string>(wholeSession.map(({ type }) => type));
    expect(Object.keys(eventPayloads).filter((type) => !types.has(type))).toEqual([]);
    for (const { type, payload } of wholeSession) eventPayloads[type].parse(payload);
    expect(flaws(whole)).toEqual([]);
    expect(whole.filter((span) => tookMs(span) <= 0)).toEqual([]);
    expect(drawn(whole)).toEqual([
      `session ${sessionId} [torn_tail lock_taken_over lock_taken_over]`,
      "  prep-feature [isolation_receipt environment seed_committed session_prepared]",
      "    iteration 0 [prompt_assembled]",
      "    iteration 1",
      "      chat scripted",
      "      execute_tool ask_user",
      "    iteration 2",
      "      chat scripted [model_retry model_retry]",
      "      execute_tool write_seed",
      "    red_check",
      "    base_suite",
      "  run [isolation_receipt left_behind stop] ! no_case: the worker stopped calling tools 3 times in a row",
      "  resume",
      "  resume",
      "  resume [stop]",
      "task T-001",
      "  iteration 0 [prompt_assembled seed_test_not_red]",
      "    red_check",
      "  iteration 1 [calls_not_run]",
      "    chat scripted",
      "    execute_tool bash [pre_tool_block]",
      "      hook_run pre_tool",
      "    execute_tool bash [egress hands_lost hands_restarted]",
      "  iteration 2 [empty_model_response]",
      "  iteration 3",
      "    chat scripted [limit_wait parameter_left_out]",
      "    execute_tool submit_case [case_parse_error]",
      "  iteration 4",
      "    chat scripted",
      "    execute_tool submit_case",
      "      check_run ! pytest: test_failed",
      "  iteration 5",
      "    chat scripted",
      "    execute_tool submit_case [prompt_assembled]",
      "      check_run",
      "      chat judge [model_retry]",
      "      evaluator_verdict",
      "  iteration 6 [context_folded proposed_learnings commit_prepared]",
      "    chat scripted",
      "    execute_tool submit_case [evaluator_parse_error prompt_assembled]",
      "      check_run",
      "      chat judge [model_retry]",
      "      evaluator_verdict",
      "      suite_run",
      "      counter_check",
      "    chat scripted",
      "    commit",
      "task T-002 ! no_case: the worker stopped calling tools 3 times in a row",
      "  iteration 0 [prompt_assembled]",
      "  iteration 1",
      "    chat scripted",
      "task T-002",
      "  iteration 0 [prompt_assembled]",
      "  iteration 1",
      "    chat scripted",
      "    execute_tool bash",
      "task T-002",
      "  iteration 0 [prompt_assembled]",
      "  iteration 1 [commit_prepared]",
      "    chat scripted",
      "    execute_tool submit_case [prompt_assembled]",
      "      check_run",
      "      chat judge [model_retry]",
      "      evaluator_verdict",
      "      counter_check",
      "    commit",
    ]);
  });

  test("is a tree at every moment, and each span keeps its id as the log grows", () => {
    const last = new Set(whole.map(({ traceId, spanId }) => `${traceId} ${spanId}`));
    for (let length = 1; length <= wholeSession.length; length += 1) {
      const spans = spansIn(exported(wholeSession.slice(0, length)));
      expect([length, flaws(spans)]).toEqual([length, []]);
      expect(spans.filter(({ traceId, spanId }) => !last.has(`${traceId} ${spanId}`))).toEqual([]);
    }
  });

  test("reveals nothing of what was said, shown or run", () => {
    expect(JSON.stringify(wholeSession).split(said).length).toBeGreaterThan(100);
    expect(exported(wholeSession)).not.toContain(said);
  });

  test("has the log's own ids where the log has them", () => {
    const { trace_id, span_id } = at("T-001", 1, 4);
    const [task] = named("task T-001");
    const iteration = named("iteration 4").find(({ traceId }) => traceId === trace_id);
    expect(iteration).toMatchObject({ spanId: span_id, parentSpanId: task?.spanId });
    expect(factsOf(iteration ?? first("iteration 4"))).toEqual({ "tilth.iteration": "4" });
  });
});

describe("a model's call", () => {
  test("is described in the terms of the GenAI conventions", () => {
    const call = first("chat judge");
    expect(call.kind).toBe(3);
    expect(factsOf(call)).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.conversation.id": sessionId,
      "gen_ai.agent.name": "evaluator",
      "gen_ai.request.model": "judge",
      "gen_ai.response.model": "judge-2",
      "gen_ai.response.finish_reasons": { values: [{ stringValue: "tool_calls" }] },
      "gen_ai.usage.input_tokens": "100",
      "gen_ai.usage.cache_read.input_tokens": "60",
      "gen_ai.usage.cache_creation.input_tokens": "0",
      "gen_ai.usage.output_tokens": "10",
      "gen_ai.usage.reasoning.output_tokens": "4",
      "tilth.usage.estimated": true,
      "tilth.cost_usd": 0.25,
      "tilth.cost_from": "prices",
      "tilth.attempt": "1",
    });
  });

  test("takes as long as the log says, and includes the attempts before it", () => {
    const [once, retried] = named("chat scripted");
    expect([once, retried].map((call) => call && tookMs(call))).toEqual([500, 2000]);
  });

  test("that is never answered leaves its retries in the iteration where it was made", () => {
    const retry = { ...at("T-001", 1, 1), phase: "worker" as const, attempt: 1, reason: "HTTP 503", wait_ms: 5 };
    const spans = spansIn(
      exported(logOf(started, ["model_retry", retry], ["stop", { reason: "infra", detail: "gone", hint: "" }])),
    );
    expect(drawn(spans)).toEqual([
      `session ${sessionId} ! infra: gone`,
      "  run [stop] ! infra: gone",
      "task T-001",
      "  iteration 1 [model_retry]",
    ]);
  });
});

describe("a tool call", () => {
  test("takes as long as the log says, and is described in the terms of the GenAI conventions", () => {
    const call = first("execute_tool bash");
    expect(tookMs(call)).toBe(3000);
    expect(factsOf(call)).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "bash",
      "gen_ai.tool.call.id": "a",
      "gen_ai.tool.type": "function",
      "gen_ai.conversation.id": sessionId,
    });
  });

  test("that a crash cut short is there, and marked as unanswered", () => {
    const unanswered = whole.filter((span) => factsOf(span)["tilth.unanswered"] === true);
    expect(unanswered.map(({ traceId, name }) => [traceId, name])).toEqual([
      [at("T-002", 2, 1).trace_id, "execute_tool bash"],
    ]);
  });

  test("is made from a result alone when there is no call before it", () => {
    const spans = spansIn(
      exported(logOf(["tool_result", { ...inTask("T-001", 1), tool: "glob", call_id: "x", content: "", ms: 7.5 }])),
    );
    expect([flaws(spans), tookMs(first("execute_tool glob", spans))]).toEqual([[], 7.5]);
  });
});

describe("a judgement", () => {
  test("says how each check went, and is an error only where something did not pass", () => {
    const [failed, passed] = named("check_run");
    expect(failed?.status).toEqual({ code: 2, message: "pytest: test_failed" });
    expect(passed?.status).toEqual({});
    expect(factsOf(failed ?? first("check_run"))).toMatchObject({
      "error.type": "test_failed",
      "tilth.check.passed": false,
      "tilth.check.ruff.passed": true,
      "tilth.check.pytest.passed": false,
      "tilth.check.pytest.reason": "test_failed",
      "tilth.check.pytest.ms": 300.5,
    });
    expect(failed && tookMs(failed)).toBe(420);
  });

  test("gives verdicts by category, and a reject is no error", () => {
    const verdicts = named("evaluator_verdict");
    expect(verdicts.map(({ status }) => status)).toEqual([{}, {}, {}]);
    expect(verdicts.map(factsOf)).toMatchObject([
      { "gen_ai.evaluation.score.label": "reject", "tilth.verdict.rejection_category": "weak_test" },
      { "gen_ai.evaluation.score.label": "accept" },
      { "gen_ai.evaluation.score.label": "accept" },
    ]);
  });
});

describe("a task", () => {
  test("has its title, its outcome and its commit", () => {
    expect(factsOf(first("task T-001"))).toEqual({
      "tilth.session": sessionId,
      "tilth.task.id": "T-001",
      "tilth.task.title": "The first task",
      "tilth.task.attempt": "1",
      "tilth.task.outcome": "done",
      "tilth.commit": "2".repeat(40),
    });
  });

  test("that is taken up again is another trace, with links to the one before and to its run", () => {
    const attempts = named("task T-002");
    expect(attempts.map((span) => factsOf(span)["tilth.task.outcome"])).toEqual(["failed:no_case", "pending", "done"]);
    expect(attempts.map((span) => factsOf(span)["tilth.task.attempt"])).toEqual(["1", "2", "3"]);
    const [failed, cut] = attempts;
    const resumes = named("resume");
    expect(cut?.links).toMatchObject([{ spanId: resumes[0]?.spanId }, { spanId: failed?.spanId }]);
  });

  test("is done even when only a later run could record it, and a killed run ends where it was", () => {
    const [, killed, last] = named("resume");
    const [, , third] = named("task T-002");
    expect(BigInt(killed?.endTimeUnixNano ?? 0)).toBeLessThan(BigInt(third?.endTimeUnixNano ?? 0));
    expect(BigInt(third?.endTimeUnixNano ?? 0)).toBeLessThan(BigInt(last?.startTimeUnixNano ?? 0));
  });
});

describe("the spans of a task", () => {
  const taskTwo = logOf(["context_reset", at("T-002", 1, 0)]);
  const log = logOf(["model_call", { ...modelCall("T-001", 1), ...at("T-001", 1, 1) }]).concat(taskTwo);

  test("are given when the next task begins, so that they need not be kept", () => {
    const spans = new SessionSpans({ id: sessionId, titles: new Map() });
    const given = log.map((event) => [...spans.add(event)].map(({ name }) => name));
    expect(given).toEqual([["chat scripted"], ["iteration 1"]]);
    expect([...spans.end()].map(({ name }) => name)).toEqual([
      "iteration 0",
      "task T-001",
      "task T-002",
      `session ${sessionId}`,
    ]);
  });

  test("include what is reported of them too late", () => {
    const late = logOf(["commit", { ...at("T-001", 1, 1), sha: oid("1"), tree: oid("1") }]);
    const spans = spansIn(exported([...log, ...late.map((event) => ({ ...event, seq: 9 }))]));
    expect(flaws(spans)).toEqual([]);
    expect(drawn(spans)).toEqual([
      "task T-001",
      "  iteration 1",
      "    chat scripted",
      "  commit",
      "task T-002",
      "  iteration 0",
      `session ${sessionId}`,
    ]);
  });
});

describe("the session", () => {
  test("is no error when it ended well, whatever failed before", () => {
    expect(first(`session ${sessionId}`).status).toEqual({});
  });

  test.each(["wall_clock", "token_cap", "cost_cap", "interrupted"] as const)("is no error when it met %s", (reason) => {
    const spans = spansIn(exported(logOf(started, ["stop", { reason, detail: "d", hint: "" }])));
    expect(spans.map(({ status }) => status)).toEqual([{}, {}]);
    expect(factsOf(first("run", spans))["tilth.stop"]).toBe(reason);
  });

  test("of an interview alone is one trace", () => {
    const spans = spansIn(exported(interviewOnly));
    expect([flaws(spans), new Set(spans.map(({ traceId }) => traceId)).size]).toEqual([[], 1]);
  });
});

describe("odd values", () => {
  test("cannot act, because names are one printable line", () => {
    const odd = `x\u001b[31m\n\u202e${"y".repeat(2_000_000)}\ud800`;
    const log = logOf(
      ["model_call", modelCall("T-001", 1, { model: odd, finish_reason: odd })],
      ["tool_call", { ...inTask("T-001", 1), tool: odd, call_id: odd, args: {} }],
    );
    const json = exported(log, new Map([["T-001", odd]]));
    expect(flaws(spansIn(json))).toEqual([]);
    expect(json).toMatch(/^[ -~…]*$/);
    expect(json.length).toBeLessThan(20_000);
  });

  test("of time stay within what OTLP can express", () => {
    const early = logOf(["model_call", modelCall("T-001", 1, { ms: 1e300 })]);
    const late = early.map((event) => ({ ...event, ts: "9999-12-31T23:59:59Z" }));
    for (const log of [early, late]) expect(flaws(spansIn(exported(log)))).toEqual([]);
  });

  test("in great number are counted, because a span has at most 128 events", () => {
    const lost = { ...inTask("T-001", 1), role: "work", during: null, detail: "" };
    const many = Array.from({ length: 200 }, (): ["hands_lost", typeof lost] => ["hands_lost", lost]);
    const iteration = first("iteration 1", spansIn(exported(logOf(...many))));
    expect([iteration.events?.length, iteration.droppedEventsCount]).toEqual([128, 72]);
  });
});

describe("the schema for exports", () => {
  const [span] = whole;
  const request = (changed: object) => ({
    resourceSpans: [
      { resource: { attributes: [] }, scopeSpans: [{ scope: { name: "", version: "" }, spans: [changed] }] },
    ],
  });

  test("accepts a right span", () => {
    expect(requestSchema.safeParse(request(span ?? {})).success).toBe(true);
  });

  test.each([
    ["an id in base64", { traceId: "AAAAAAAAAAAAAAAAAAAAAA==" }],
    ["an id in capitals", { spanId: "ABCDEFABCDEFABCD" }],
    ["an id of zeros", { spanId: "0".repeat(16) }],
    ["a time as a number", { startTimeUnixNano: 1 }],
    ["a time with a fraction", { startTimeUnixNano: "1.5" }],
    ["a time before 1970", { startTimeUnixNano: "-1" }],
    ["an end before its start", { startTimeUnixNano: "2", endTimeUnixNano: "1" }],
    ["a kind by name", { kind: "SPAN_KIND_CLIENT" }],
    ["a key in snake case", { start_time_unix_nano: "1" }],
    ["an integer as a number", { attributes: [{ key: "k", value: { intValue: 1 } }] }],
    ["a value that is bare", { attributes: [{ key: "k", value: "v" }] }],
    ["a key twice", { attributes: ["a", "b"].map((text) => ({ key: "k", value: { stringValue: text } })) }],
    ["a status by name", { status: { code: "STATUS_CODE_ERROR" } }],
  ])("refuses %s", (_, wrong) => {
    expect(requestSchema.safeParse(request({ ...span, ...wrong })).success).toBe(false);
  });
});

test("the check of a tree of spans sees each flaw", () => {
  const [a, b] = [first("task T-001"), first("iteration 1")];
  expect(flaws([a, a])).toContain("a span stands twice");
  expect(flaws([{ ...b, parentSpanId: "1".repeat(16) }])).toContain("iteration 1 has no parent");
  expect(flaws([...whole, { ...a, spanId: "2".repeat(16) }])).toContain("not one root per trace");
  const early = { ...b, traceId: a.traceId, parentSpanId: a.spanId, startTimeUnixNano: "0" };
  expect(flaws([a, early])).toContain("iteration 1 is not within task T-001");
});
