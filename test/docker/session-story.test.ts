import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { RunEnd, SessionFiles } from "../../runner/index.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { canaryKey } from "../helpers/scripted-model.js";
import { hostileVariables, inFrontOf, recordGit } from "../helpers/session-hostile-host.js";
import { requestsInLog, requestsOnTheWire } from "../helpers/session-log.js";
import { of, oracle, statusOf, wholeLog } from "../helpers/session-oracle.js";
import { taskIn, textOf } from "../helpers/session-play.js";
import { play, story } from "../helpers/session-story.js";
import { SessionWorld } from "../helpers/session-world.js";

let world: SessionWorld;
let files: SessionFiles;
let end: RunEnd;
let log: readonly TilthEvent[];
let gitLog: string;

beforeAll(async () => {
  world = await SessionWorld.open(story);
  const git = recordGit(world.repo);
  gitLog = git.log;
  world.env.PATH = inFrontOf(git.folder);
  for (const [name, value] of Object.entries(hostileVariables(world.repo))) vi.stubEnv(name, value);
  files = await world.stage();
  end = await world.run(files);
  log = await wholeLog(files);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await world?.[Symbol.asyncDispose]();
});

test("the session ends with every task done, and leaves nothing anywhere else", async () => {
  expect(play.surprises).toEqual([]);
  expect(end.stop.reason).toBe("all_done");
  await oracle(world, files, end);
});

test("the log alone gives every request that a model was sent, word for word and in order", () => {
  expect(requestsInLog(log)).toEqual(requestsOnTheWire(world.model.requests));
  expect(of(log, "model_call").map(({ phase }) => phase)).toEqual(world.model.requests.map(({ role }) => role));
});

test("every call, result, check, verdict and commit is in the log", () => {
  const calls = of(log, "model_call").flatMap(({ calls, phase }) =>
    phase === "worker" ? calls.map(({ id }) => id) : [],
  );
  const cut = world.model.of("worker")[2];
  expect(cut).toBeDefined();
  expect(of(log, "tool_call").map(({ call_id }) => call_id)).toEqual(calls);
  expect(of(log, "tool_result").map(({ call_id }) => call_id)).toEqual(calls);
  expect(of(log, "check_run").map(({ passed }) => passed)).toEqual([false, true, true, true]);
  expect(of(log, "case_parse_error")).toHaveLength(1);
  expect(of(log, "evaluator_parse_error")).toHaveLength(1);
  expect(of(log, "evaluator_verdict").map(({ verdict }) => verdict.verdict)).toEqual(["reject", "accept", "accept"]);
  expect(log.at(-1)?.type).toBe("stop");
  const subjects = world.repo.git("log", "--reverse", "--format=%H %s", `main..session/${files.id}`).trim().split("\n");
  const commits = of(log, "commit").map(
    ({ sha, task_id }) => `${sha} ${task_id}: TITLE-${task_id === "T-001" ? "ONE" : "TWO"}`,
  );
  expect(subjects.slice(1)).toEqual(commits);
  expect(subjects[0]).toMatch(new RegExp(`^${of(log, "seed_committed")[0]?.sha} seed: `));
});

test("commits are by the person and unsigned, whatever their git is set to", () => {
  const who = world.repo.git("log", "--format=%an <%ae> %cn %G?", `main..session/${files.id}`).trim().split("\n");
  expect(new Set(who)).toEqual(new Set(["Grace <grace@example.org> tilth N"]));
});

test("the source's own files, config and branches are as they were, and the worktree is clean", () => {
  const { repo } = world;
  expect(repo.git("for-each-ref", "--format=%(refname)").trim().split("\n")).toEqual([
    "refs/heads/main",
    "refs/heads/other",
    `refs/heads/session/${files.id}`,
  ]);
  expect(statusOf(world, files)).toEqual([]);
  expect(repo.git("-C", files.paths.worktree, "rev-parse", "HEAD").trim()).toBe(files.loadCheckpoint().last_commit);
});

test("host git never runs inside a worktree, nor with a key or a variable of the person's", () => {
  const calls = readFileSync(gitLog, "utf8");
  const cwds = [...calls.matchAll(/^cwd=(.*)$/gm)].map(([, cwd]) => cwd);
  expect(cwds.length).toBeGreaterThan(10);
  expect(new Set(cwds)).toEqual(new Set(["/"]));
  for (const [name, value] of Object.entries(hostileVariables(world.repo)))
    expect(calls).not.toContain(`${name}=${value}`);
  expect(calls).not.toContain(canaryKey);
});

const first = (role: "worker" | "evaluator" | "self_improve", task: string, index = 0) => {
  const request = world.model.of(role).filter((one) => taskIn(one) === task)[index];
  if (!request) throw new Error(`${role} was never asked about ${task}`);
  return textOf(request);
};

interface Sight {
  readonly who: string;
  readonly text: () => string;
  readonly shown: readonly string[];
  readonly hidden: readonly string[];
}

const seedContext = ["SEED-TLDR", "SEED-SCOPE", "SEED-BLOCKER", "SEED-QUESTION"];
const taskOne = ["T-001: TITLE-ONE", "DESCRIPTION-ONE", "1. CRITERION-ONE"];
const planOfTwo = ["TITLE-TWO", "DESCRIPTION-TWO", "CRITERION-TWO"];
const saidInTaskOne = [
  "PROSE-ONE",
  "REASONING-ONE",
  "CASE-ONE",
  "DOUBT-ONE",
  "CONCERN-ONE",
  "NEXT-STEP-ONE",
  "ACCEPTED-ONE",
];
const hiddenFromAll = ["OTHERBRANCH", "UNCOMMITTED", "HOSTVARIABLE", "LEARNING-ONE", canaryKey];

const sights: readonly Sight[] = [
  {
    who: "a worker at its start",
    text: () => first("worker", "T-001"),
    shown: [...taskOne, ...planOfTwo, "BASE-AGENTS", "BASE-CLAUDE", ...seedContext, "Python 3", "no network"],
    hidden: ["SEEDTEST-ONE", "SEEDTEST-TWO"],
  },
  {
    who: "the worker of the next task",
    text: () => first("worker", "T-002"),
    shown: [
      "T-001\tdone",
      "TITLE-ONE",
      "CRITERION-ONE",
      "1. CRITERION-TWO",
      "NEW-AGENTS",
      "BASE-CLAUDE",
      ...seedContext,
    ],
    hidden: [...saidInTaskOne, "BASE-AGENTS", "SEEDTEST-TWO"],
  },
  {
    who: "a worker whose checks failed and whose case was rejected",
    text: () => first("worker", "T-001", 7),
    shown: ["assert 12 == 11", "weak_test", "CONCERN-ONE", "NEXT-STEP-ONE"],
    hidden: ["PROSE-VERDICT"],
  },
  {
    who: "an evaluator",
    text: () => first("evaluator", "T-001"),
    shown: [
      ...taskOne,
      "BASE-AGENTS",
      "BASE-CLAUDE",
      "SEEDTEST-ONE",
      "CASE-ONE",
      "DOUBT-ONE",
      "+    return 1 * 11",
      "`pytest`",
      "by the task, which names it: conftest.py",
    ],
    hidden: [
      ...planOfTwo,
      ...seedContext,
      "SEEDTEST-TWO",
      "T-001\tdone",
      "PROSE-ONE",
      "REASONING-ONE",
      "MALFORMED-ONE",
      "CASE-WRONG",
      "CONCERN-ONE",
    ],
  },
  {
    who: "an evaluator of the second round",
    text: () => first("evaluator", "T-001", 2),
    shown: ["weak_test", "CONCERN-ONE", "CASE-ONE", "CASE-ONE-AGAIN", "NEXT-STEP-ONE"],
    hidden: [...planOfTwo, "PROSE-VERDICT"],
  },
  {
    who: "the evaluator of the next task",
    text: () => first("evaluator", "T-002"),
    shown: ["CRITERION-TWO", "SEEDTEST-TWO", "CASE-TWO", "BASE-AGENTS"],
    hidden: [...saidInTaskOne, "TITLE-ONE", "DESCRIPTION-ONE", "CRITERION-ONE", "SEEDTEST-ONE", "NEW-AGENTS", "T-001"],
  },
  {
    who: "self-improve",
    text: () => first("self_improve", "T-002"),
    shown: [
      "TITLE-TWO",
      "DESCRIPTION-TWO",
      "BASE-AGENTS",
      "CONCERN-ONE",
      "ACCEPTED-ONE",
      "ACCEPTED-TWO",
      "weak_test: 1",
      "+    return 2 * 11",
    ],
    hidden: [
      "CRITERION-TWO",
      ...seedContext,
      "SEEDTEST-TWO",
      "CASE-TWO",
      "CASE-ONE",
      "DOUBT-TWO",
      "NEW-AGENTS",
      "TITLE-ONE",
      "T-001\tdone",
    ],
  },
];

test.each(sights.map((sight) => [sight.who, sight] as const))(
  "%s sees all that it may see, and nothing else",
  (_who, { text, shown, hidden }) => {
    const seen = text();
    expect(shown.filter((word) => !seen.includes(word))).toEqual([]);
    expect([...hidden, ...hiddenFromAll].filter((word) => seen.includes(word))).toEqual([]);
  },
);

test("no request holds an id, a path, a sum or a secret of the session's state", () => {
  const requests = world.model.requests.map(({ body }) => JSON.stringify(body)).join("\n");
  const { repo } = world;
  const spans = log.flatMap(({ payload }) =>
    "span_id" in payload ? [payload.span_id ?? "", payload.trace_id ?? ""] : [],
  );
  const sums = of(log, "model_call").map((call) => String(call.tokens_used_total));
  const places = [repo.root, repo.path, repo.tilthHome, files.id, files.loadCheckpoint().image ?? ""];
  const secret = [...spans, ...sums, ...places, ...hiddenFromAll, "checkpoint.json", "events.jsonl", "summary.json"];
  expect(secret.filter((word) => word === "" || requests.includes(word))).toEqual([]);
  const own = world.model.requests.filter(({ authorization }) => authorization !== `Bearer ${canaryKey}`);
  expect(own).toEqual([]);
});

test("proposed learnings are kept for the person alone", () => {
  expect(readFileSync(files.paths.learnings, "utf8")).toContain("LEARNING-ONE");
  expect(readFileSync(join(files.paths.folder, "progress.txt"), "utf8")).toBe(
    "T-001\tdone\tTITLE-ONE\nT-002\tdone\tTITLE-TWO\n",
  );
});

test("the person's own git does run the commands that were planted in the source", () => {
  world.repo.tryGit("checkout", "-q", "-f", "other");
  expect(readdirSync(world.markers)).toContain("fsmonitor");
  expect(readdirSync(world.markers)).toContain("post-checkout");
});
