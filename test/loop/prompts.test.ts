import { beforeAll, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../runner/model/port/model-client.js";
import type { Checkpoint } from "../../runner/session/state/checkpoint.js";
import type { FakeRole } from "../helpers/fake-model-client.js";
import { type LoopRun, LoopSession } from "../helpers/loop-session.js";
import { accept, calls, learned, quiet, reject, submit, write } from "../helpers/loop-turns.js";

/** One word for each channel, so that it can be recognised in prompts. */
const files = { "AGENTS.md": "AGENTS-OF-BASE\n", "README.md": "README-TEXT\n" };
const notes = {
  tldr: "SEED-TLDR",
  scope_notes: "SEED-SCOPE",
  blockers: ["SEED-BLOCKER"],
  open_questions: ["SEED-ASK"],
};
const solving = (n: number, ...more: Parameters<typeof calls>) =>
  calls(write(`feature_${n}.py`, `value = ${n}  # DIFF-OF-${n}\n`), ...more, submit(`CASE-OF-${n}`));
const rejecting = (n: number) =>
  reject({ concern: `CONCERN-${n}`, evidence: [`EVIDENCE-${n}`], next_step: `NEXT-${n}` });
const accepting = (n: number) =>
  reject({ concern: `ACCEPT-${n}`, verdict: "accept", rejection_category: null, next_step: null });

let session: LoopSession;
let run: LoopRun;
let checkpoint: Checkpoint;

beforeAll(async () => {
  session = await LoopSession.open({ tasks: 3, files, notes });
  const prd = session.files.loadPrd().map((task, at) => ({
    ...task,
    description: `${task.description} DESCRIBED-${at + 1}`,
    acceptance_criteria: [`CRITERION-${at + 1}`],
  }));
  session.files.savePrd(prd);
  const changed = write("AGENTS.md", "AGENTS-CHANGED\n");
  run = await session.run({
    worker: [solving(1, changed), calls(write("x.py", "x = 1\n"), submit("AGAIN-1")), solving(2), quiet, solving(3)],
    evaluator: [rejecting(1), accepting(1), accepting(2), accept],
    self_improve: [learned("LEARNED-1"), learned("LEARNED-2"), learned("LEARNED-3")],
  });
  checkpoint = session.files.loadCheckpoint();
  expect(run.reason).toBe("all_done");
});

/** Everything that a role was told about a task: requests whose opening names the task as its own. */
function saidTo(role: FakeRole, n: number): string {
  const own = new RegExp(`(Your task|that was worked on|that was accepted):\\s+<<<\\w+\\s+T-00${n}:`);
  const asked = run.model.of(role).filter(({ messages }) => own.test(messages[1]?.content ?? ""));
  expect(asked.length).toBeGreaterThan(0);
  return asked.map(said).join("\n");
}

function said({ messages }: ModelRequest): string {
  return messages.map(({ content }) => content ?? "").join("\n");
}

function present(text: string, words: readonly string[]): void {
  expect(words.filter((word) => !text.includes(word))).toEqual([]);
}

function absent(text: string, words: readonly string[]): void {
  expect(words.filter((word) => text.includes(word))).toEqual([]);
}

describe("a whole session", () => {
  it("shows the worker its task, the plan, the seed's notes, progress, and the context of the last accepted tree", () => {
    present(saidTo("worker", 2), [
      "Title of 2",
      "1. CRITERION-2",
      "DESCRIBED-2",
      "DESCRIBED-1",
      "CRITERION-3",
      "AGENTS-CHANGED",
      "SEED-TLDR",
      "SEED-SCOPE",
      "SEED-BLOCKER",
      "SEED-ASK",
      "T-001\tdone\tTitle of 1",
      "Python 3",
    ]);
  });

  it("shows the worker no verdict or case of another task, no learning and no state", () => {
    absent(saidTo("worker", 2), [
      "CONCERN-1",
      "EVIDENCE-1",
      "NEXT-1",
      "ACCEPT-1",
      "CASE-OF-1",
      "AGAIN-1",
      "LEARNED",
      "AGENTS-OF-BASE",
    ]);
  });

  it("shows the evaluator task, ledger, seed test, diff, checks and case, and the context of the base", () => {
    const text = saidTo("evaluator", 1);
    present(text, ["1. CRITERION-1", "DESCRIBED-1", "AGENTS-OF-BASE", "CONCERN-1", "EVIDENCE-1", "NEXT-1"]);
    present(text, ["assert value == 1", "DIFF-OF-1", "CASE-OF-1", "AGAIN-1"]);
    absent(saidTo("evaluator", 2), ["AGENTS-CHANGED"]);
  });

  it("shows the evaluator nothing of other tasks, the plan, the seed's notes or progress", () => {
    const text = saidTo("evaluator", 2);
    absent(text, ["Title of 1", "Title of 3", "DESCRIBED-1", "DESCRIBED-3", "CRITERION-1", "CRITERION-3"]);
    absent(text, ["CASE-OF-1", "CONCERN-1", "ACCEPT-1", "DIFF-OF-1", "LEARNED", "SEED-", "T-001", "value == 1"]);
  });

  it("shows self-improve task, verdicts, counts of rejections by kind, the diff, and the context of the base", () => {
    const text = saidTo("self_improve", 2);
    present(text, [
      "Title of 2",
      "DESCRIBED-2",
      "CONCERN-1",
      "ACCEPT-1",
      "ACCEPT-2",
      "weak_test: 1",
      "DIFF-OF-2",
      "AGENTS-OF-BASE",
    ]);
  });

  it("shows self-improve no criteria, cases, tests, plan, notes or other learnings", () => {
    absent(saidTo("self_improve", 2), [
      "CRITERION",
      "CASE-OF",
      "AGAIN-1",
      "value == 2",
      "Title of 3",
      "DESCRIBED-1",
      "SEED-",
      "LEARNED",
    ]);
  });

  it("shows nobody its state, spend, commits or paths of the host", () => {
    const { files, branch } = session;
    const hidden = [files.id, files.paths.folder, checkpoint.source, checkpoint.base_commit, checkpoint.last_commit];
    const events = run.events.flatMap(({ payload }) => ("trace_id" in payload ? [payload.trace_id ?? "-"] : []));
    const commits = run.of("commit").flatMap(({ sha, tree }) => [sha, tree]);
    const state = [
      "acceptance_criteria",
      "tokens_used",
      "usage_by_role",
      "last_commit",
      "checkpoint.json",
      "events.jsonl",
    ];
    for (const { request } of run.model.requests)
      absent(JSON.stringify(request), [...hidden, ...events, ...commits, ...state, branch.base]);
  });

  it("has each prompt and its channels in the log, just as it was sent", () => {
    const logged = run.of("prompt_assembled").map(({ content }) => content);
    const openings = run.model.requests.map(({ request }) =>
      request.messages
        .slice(0, 2)
        .map(({ content }) => content)
        .join("\n\n"),
    );
    expect(openings.filter((opening) => !logged.includes(opening))).toEqual([]);
    for (const load of run.of("memory_load")) expect(Object.keys(load.channels)).toContain("instructions");
  });

  it("gives each role its own tools", () => {
    const tools = (role: FakeRole) => [
      ...new Set(run.model.of(role).map((request) => request.tools.map(({ name }) => name).join(" "))),
    ];
    expect(tools("worker")).toEqual(["bash read_file write_file edit_file glob grep submit_case"]);
    expect(tools("evaluator")).toEqual(["submit_verdict"]);
    expect(tools("self_improve")).toEqual([""]);
  });
});
