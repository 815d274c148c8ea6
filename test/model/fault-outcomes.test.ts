import { describe, expect, it } from "vitest";
import type { ScriptedCall, SpokenTurn } from "../../runner/demo/script/script.js";
import { type FaultLimits, type FaultScript, faultRun, solve, type Turns } from "../helpers/fault-run.js";
import type { Turn } from "../helpers/scripted-model.js";
import { bodyOf, bomb, headOf, oldAnswer } from "../helpers/wire-answers.js";

const error = (message: string, more: object = {}) => ({ error: { message, ...more } });
/** Long enough for the answer that follows on a busy machine. */
const quickly = { requestTimeoutSeconds: 2 };
const solved = solve as SpokenTurn & { readonly calls: readonly ScriptedCall[] };
const waiting = (headers: Record<string, string>): Turn => ({ status: 429, headers });
/** the session's clock before any wait */
const date = new Date(Date.UTC(2030, 0, 1)).toUTCString();
const inTwoMinutes = new Date(Date.UTC(2030, 0, 1, 0, 2)).toUTCString();

/** A fault that passes: what the log says about it, and the least time that was waited. */
interface Passing {
  readonly turn: Turn;
  readonly reason: RegExp;
  readonly waitedMs?: number;
}

const named = [408, 409, 425, 429, 500, 502, 503, 504, 529];
const passing: Readonly<Record<string, Passing>> = {
  ...Object.fromEntries(
    named.flatMap((status): [string, Passing][] => [
      [`HTTP ${status}`, { turn: { status }, reason: RegExp(`^HTTP ${status}`) }],
      [
        `an error object with 200 that names ${status}`,
        { turn: { status: 200, body: error("busy", { code: status }) }, reason: RegExp(`^HTTP ${status}: busy`) },
      ],
    ]),
  ),
  "429 with a wait in seconds": { turn: waiting({ "retry-after": "120" }), reason: /429/, waitedMs: 120_000 },
  "429 with a wait in milliseconds": { turn: waiting({ "retry-after-ms": "1500" }), reason: /429/, waitedMs: 1_500 },
  "429 with a date to wait for": {
    turn: waiting({ date, "retry-after": inTwoMinutes }),
    reason: /429/,
    waitedMs: 119_000,
  },
  "503 with a wait in seconds": {
    turn: { status: 503, headers: { "retry-after": "30" } },
    reason: /503/,
    waitedMs: 30_000,
  },
  "429 with a wait that is garbage": { turn: waiting({ "retry-after": "soon" }), reason: /429/, waitedMs: 500 },
  "an error object with 200 that names nothing": {
    turn: { status: 200, body: error("overloaded") },
    reason: /an error in place of a reply: overloaded/,
  },
  "an error in the choice": {
    turn: { status: 200, body: { choices: [{ message: null, error: { code: 502 } }] } },
    reason: /^HTTP 502/,
  },
  "HTML with status 200": {
    turn: { status: 200, headers: { "content-type": "text/html" }, body: "<html>sign in</html>" },
    reason: /no JSON/,
  },
  "an empty body": { turn: { status: 200, body: "" }, reason: /no JSON/ },
  "truncated JSON": { turn: { status: 200, body: bodyOf(solved).slice(0, -20) }, reason: /no JSON/ },
  "JSON that is no completion": { turn: { status: 200, body: { answer: 42 } }, reason: /no chat completion/ },
  "a gzip bomb": { turn: { raw: bomb(), after: "end" }, reason: /no JSON/ },
  "a body over 32 MB": { turn: { status: 200, body: " ".repeat(33 * 1024 * 1024) }, reason: /more than 32 MB/ },
  "a connection that ends at once": { turn: { drop: "at once" }, reason: /connection broke/ },
  "a connection that ends half way": { turn: { drop: "half way" }, reason: /connection broke/ },
  "a connection reset half way": {
    turn: { raw: `${headOf(3_000)}{"choices":[`, after: "reset" },
    reason: /connection broke/,
  },
  "bytes that are no HTTP": { turn: { raw: "SSH-2.0-OpenSSH_9\r\n", after: "end" }, reason: /connection broke/ },
};

/** The ways in which a reply can fail to come in time. */
const tooLate: Readonly<Record<string, Turn>> = {
  "no headers": { hang: true },
  "a byte at a time": { drip: headOf(3_000) + " ".repeat(3_000) },
  "a stall in the head": { raw: "HTTP/1.1 200 OK\r\n", after: "stall" },
  "a stall in the middle": { raw: `${headOf(3_000)}{"choices":[`, after: "stall" },
};

describe("a passing fault", () => {
  async function waitedOut(name: string, { turn, reason, waitedMs = 500 }: Passing, limits: FaultLimits = {}) {
    const run = await faultRun({ worker: [turn, solve] }, limits);
    const status = { session: "all_done", task: "done" };
    expect([run.end.stop.reason, run.exit, run.status], name).toEqual(["all_done", 0, status]);
    expect([run.iterations, run.asked("worker")], name).toEqual([1, 2]);
    expect(run.of("model_retry"), name).toEqual([expect.objectContaining({ phase: "worker", attempt: 1 })]);
    expect(run.of("model_retry")[0]?.reason, name).toMatch(reason);
    expect(run.slept, name).toHaveLength(1);
    expect(run.slept[0], name).toBeGreaterThanOrEqual(waitedMs);
    expect(run.slept[0], name).toBeLessThanOrEqual(waitedMs * 1.5 + 1_000);
  }

  it.each(Object.entries(passing))("is waited out at no cost of a reply: %s", (name, fault) => waitedOut(name, fault));

  it(`is waited out when each attempt takes its time, here all at once: ${Object.keys(tooLate).join(", ")}`, async () => {
    const late = Object.entries(tooLate).map(([name, turn]) =>
      waitedOut(name, { turn, reason: /^timed out$/ }, quickly),
    );
    await Promise.all(late);
  });
});

describe("a refused parameter", () => {
  const message =
    "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.";

  it("is left out at no cost of a reply or of time, and is logged once, where it happened", async () => {
    const run = await faultRun({ worker: [{ status: 400, body: error(message) }, solve] });
    expect([run.exit, run.iterations, run.asked("worker"), run.slept]).toEqual([0, 1, 2, []]);
    expect(run.of("model_retry")).toEqual([]);
    expect(run.of("parameter_left_out")).toEqual([
      expect.objectContaining({
        task_id: "T-001",
        phase: "worker",
        parameter: "reasoning_effort",
        sent_instead: "reasoning_effort=none",
        reason: `HTTP 400: ${message}`,
      }),
    ]);
  });
});

/** A fault that ends the run: its end, the number of requests, and the words that the person reads. */
interface Final {
  readonly worker: Turns;
  readonly reason: "infra" | "provider_denied";
  readonly says: RegExp;
  /** requests of the worker; infinity for any number */
  readonly asked?: number;
  readonly iterations?: number;
  readonly limits?: FaultLimits;
}

const denials: readonly (readonly [number, RegExp])[] = [
  [401, /Check TILTH_API_KEY/],
  [402, /Add credit.*TILTH_API_KEY/],
  [403, /TILTH_API_KEY.*TILTH_WORKER_MODEL/],
  [404, /Check TILTH_WORKER_MODEL and TILTH_BASE_URL/],
];
const redirects = [301, 302, 303, 307, 308].flatMap((status) =>
  [
    ["same-origin", "/v1/chat/completions"],
    ["cross-origin", "http://127.0.0.1:9/v1/chat/completions"],
  ].map(([where = "", location = ""]): [string, Final] => [
    `a ${where} redirect (${status})`,
    {
      worker: [{ status, headers: { location }, body: "" }],
      reason: "infra",
      says: /a redirect; redirects are not followed.*TILTH_BASE_URL/,
    },
  ]),
);
const final: Readonly<Record<string, Final>> = {
  ...Object.fromEntries(
    denials.flatMap(([status, says]): [string, Final][] => [
      [`HTTP ${status}`, { worker: [{ status }], reason: "provider_denied", says }],
      [
        `an error object with 200 that names ${status}`,
        { worker: [{ status: 200, body: error("no", { code: status }) }], reason: "provider_denied", says },
      ],
    ]),
  ),
  ...Object.fromEntries(
    [400, 405, 418, 422].map((status): [string, Final] => [
      `HTTP ${status}`,
      { worker: [{ status, body: error("malformed") }], reason: "infra", says: /malformed.*TILTH_WORKER_MODEL/ },
    ]),
  ),
  ...Object.fromEntries(redirects),
  "a wait longer than an outage may be": {
    worker: [waiting({ "retry-after": "601" })],
    reason: "infra",
    says: /asks to wait 601 s, until \d{4}-\d\d-\d\d \d\d:\d\d:01 \S+, but only 600 s of TILTH_MAX_OUTAGE_MINUTES \(10\) are left/,
  },
  "a date further off than an outage may be": {
    worker: [waiting({ date, "retry-after": new Date(Date.UTC(2031, 0, 1)).toUTCString() })],
    reason: "infra",
    says: /asks to wait 31\d{6} s/,
  },
  "a wait without end": {
    worker: [waiting({ "retry-after": "9".repeat(400) })],
    reason: "infra",
    says: /asks to wait .*TILTH_MAX_OUTAGE_MINUTES/,
  },
  "an outage that outlasts TILTH_MAX_OUTAGE_MINUTES": {
    worker: () => ({ status: 503 }),
    reason: "infra",
    says: /after \d+ attempts: HTTP 503.*TILTH_MAX_OUTAGE_MINUTES/,
    asked: Number.POSITIVE_INFINITY,
  },
  "an outage whose every answer asks for no wait": {
    worker: () => waiting({ "retry-after": "0" }),
    reason: "infra",
    says: /HTTP 429.*TILTH_MAX_OUTAGE_MINUTES/,
    asked: Number.POSITIVE_INFINITY,
  },
  "an endpoint that never answers": {
    worker: () => ({ hang: true }),
    reason: "infra",
    says: /after 2 attempts: timed out/,
    asked: 2,
    limits: { requestTimeoutSeconds: 0.2, maxOutageMinutes: 0.000_01 },
  },
  "a full context with nothing to fold": {
    worker: [{ status: 413 }],
    reason: "infra",
    says: /no longer fits .* the worker's model.*"scripted-worker" at http.*HTTP 413.*TILTH_WORKER_MODEL/,
  },
  "a key refused after replies that counted": {
    worker: [{ calls: [["bash", { command: "ls" }]] }, { status: 401 }],
    reason: "provider_denied",
    says: /TILTH_API_KEY/,
    asked: 2,
    iterations: 1,
  },
};

describe("a final fault", () => {
  it.each(Object.entries(final))(
    "stops the run with the task pending and the remedy named: %s",
    async (_, { worker, reason, says, asked = 1, iterations = 0, limits = {} }) => {
      const run = await faultRun({ worker }, limits);
      expect([run.end.stop.reason, run.exit, run.status]).toEqual([reason, 5, { session: "running", task: "pending" }]);
      expect(`${run.end.stop.detail} ${run.end.stop.hint}`).toMatch(says);
      expect(run.iterations).toBe(iterations);
      if (Number.isFinite(asked)) expect(run.asked("worker")).toBe(asked);
      expect(run.of("model_retry")).toHaveLength(run.asked("worker") - iterations - 1);
      expect(run.events.at(-1)?.type).toBe("stop");
    },
  );

  it("of an address that refuses before the first reply comes after two attempts within five seconds", async () => {
    const run = await faultRun({}, { baseUrl: "http://127.0.0.1:9/v1" });
    expect([run.end.stop.reason, run.exit, run.status.task]).toEqual(["infra", 5, "pending"]);
    expect(run.end.stop.hint).toContain("TILTH_BASE_URL");
    expect(run.of("model_retry")).toHaveLength(1);
    expect(run.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(5_000);
  });
});

const counting = (usage: unknown): Turn => ({ status: 200, body: bodyOf(solved, { usage }) });
const withIds = (ids: readonly unknown[]): Turn => {
  const calls = solved.calls.map(([name, args], at) => ({
    ...(ids[at] === undefined ? {} : { id: ids[at] }),
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { message: { role: "assistant", content: null, tool_calls: calls } };
};

/** A reply that is odd and still counts: the number of replies the task took, and the record in the log. */
interface Odd {
  readonly worker: readonly Turn[];
  readonly iterations?: number;
  readonly empty?: number;
  readonly estimated?: boolean;
}

const odd: Readonly<Record<string, Odd>> = {
  "choices: []": { worker: [{ status: 200, body: { choices: [] } }, solve], iterations: 2, empty: 1 },
  "a null message": { worker: [{ message: null }, solve], iterations: 2, empty: 1 },
  "null content": { worker: [{ empty: true }, solve], iterations: 2, empty: 1 },
  "a reply that is cut off": {
    worker: [{ cut: ["write_file", '{"path": "a'] }, solve],
    iterations: 2,
  },
  "HTTP/1.0 that closes without a length": { worker: [{ raw: oldAnswer(solved), after: "end" }] },
  "missing usage": { worker: [counting(undefined)], estimated: true },
  "null usage": { worker: [counting(null)], estimated: true },
  "negative usage": { worker: [counting({ prompt_tokens: -5, completion_tokens: -1 })], estimated: true },
  "usage of 1e12": { worker: [counting({ prompt_tokens: 1e12, completion_tokens: 1e12 })], estimated: true },
  "usage of 1e999": {
    worker: [{ status: 200, body: bodyOf(solved, { usage: { prompt_tokens: 0 } }).replace(":0}", ":1e999}") }],
    estimated: true,
  },
  "usage of NaN": { worker: [counting({ prompt_tokens: "NaN", completion_tokens: null })], estimated: true },
  "duplicate call ids": { worker: [withIds(["same", "same"])] },
  "missing call ids": { worker: [withIds([undefined, undefined])] },
  "empty and null call ids": { worker: [withIds(["", null])] },
  "call ids that are too long": { worker: [withIds(["x".repeat(100), "x".repeat(100)])] },
};

describe("an odd reply", () => {
  it.each(Object.entries(odd))(
    "counts as a reply, and costs one: %s",
    async (_, { worker, iterations = 1, empty = 0, estimated = false }) => {
      const run = await faultRun({ worker });
      expect([run.end.stop.reason, run.exit, run.status.task]).toEqual(["all_done", 0, "done"]);
      expect([run.iterations, run.asked("worker")]).toEqual([iterations, iterations]);
      expect(run.of("empty_model_response")).toHaveLength(empty);
      expect(run.of("model_retry")).toEqual([]);
      const calls = run.of("model_call");
      expect(calls.some((call) => call.estimated && call.phase === "worker")).toBe(
        estimated || worker.some((turn) => "status" in turn && !JSON.stringify(turn).includes("usage")),
      );
      expect(calls.at(-1)?.tokens_used_total).toBeLessThan(100_000);
    },
  );

  it("with nothing in it ends the task when it comes three times in a row", async () => {
    const run = await faultRun({
      worker: [{ message: null }, { empty: true }, { status: 200, body: { choices: [] } }],
    });
    expect([run.end.stop.reason, run.exit, run.status.task]).toEqual(["empty_responses", 1, "failed"]);
    expect([run.iterations, run.of("empty_model_response").length]).toEqual([3, 3]);
  });

  it("from another model than requested is recorded with both names", async () => {
    const run = await faultRun({ worker: [{ status: 200, body: bodyOf(solved, { model: "a-cheaper-one" }) }] });
    expect([run.end.stop.reason, run.iterations]).toEqual(["all_done", 1]);
    expect(run.of("model_call").map(({ model, model_asked }) => [model, model_asked])).toEqual([
      ["a-cheaper-one", "scripted-worker"],
      ["scripted-evaluator", undefined],
      ["scripted-worker", undefined],
    ]);
  });
});

/** A script for the endpoint of a role other than the worker, and its effect on the run. */
interface Beside {
  readonly script: FaultScript;
  readonly reason: "all_done" | "infra" | "provider_denied";
  readonly says?: RegExp;
  readonly learned?: string;
}

const always = (turn: Turn) => () => turn;
const nothing: Turn = { status: 200, body: { choices: [] } };
const beside: Readonly<Record<string, Beside>> = {
  "an evaluator's 503": { script: { evaluator: [{ status: 503 }] }, reason: "all_done" },
  "an evaluator's 401": { script: { evaluator: [{ status: 401 }] }, reason: "provider_denied" },
  "an evaluator's empty turn": { script: { evaluator: [nothing, nothing] }, reason: "all_done" },
  "an evaluator's third empty turn": { script: { evaluator: always(nothing) }, reason: "infra", says: /3 times/ },
  "an evaluator's full context": {
    script: { evaluator: [{ status: 413 }] },
    reason: "infra",
    says: /"scripted-evaluator" at http.*TILTH_MAX_DIFF_KB.*TILTH_EVALUATOR_MODEL/,
  },
  "a 503 of self-improve": { script: { self_improve: [{ status: 503 }] }, reason: "all_done", learned: "no_proposal" },
  "a second 503 of self-improve": {
    script: { self_improve: always({ status: 503 }) },
    reason: "all_done",
    learned: "error",
  },
  "a 401 of self-improve": { script: { self_improve: [{ status: 401 }] }, reason: "all_done", learned: "error" },
  "a full context of self-improve": {
    script: { self_improve: [{ status: 413 }] },
    reason: "all_done",
    learned: "error",
  },
  "a wait that self-improve is asked for": {
    script: { self_improve: [waiting({ "retry-after": "300" })] },
    reason: "all_done",
    learned: "error",
  },
};

describe("a fault beside the worker", () => {
  it.each(Object.entries(beside))("has its own outcome: %s", async (_, { script, reason, says = /^/, learned }) => {
    const run = await faultRun({ worker: [solve], ...script });
    const done = reason === "all_done";
    expect([run.end.stop.reason, run.exit, run.status.task]).toEqual([reason, done ? 0 : 5, done ? "done" : "pending"]);
    expect(`${run.end.stop.detail} ${run.end.stop.hint}`).toMatch(says);
    expect(run.iterations).toBe(1);
    if (learned) expect(run.of("proposed_learnings").map((one) => one.reason)).toEqual([learned]);
    if (script.self_improve) expect(Math.max(0, ...run.slept)).toBeLessThan(5_000);
  });
});
