import { z } from "zod";
import { environmentFields } from "./environment.js";
import { count, event, json, maybeInTask, oid } from "./fields.js";
import { stopReason } from "./outcome.js";

export const leftBehindSchema = z.strictObject({
  executes: z.array(z.string()).describe("paths of files"),
  renamed: z.array(z.string()).describe("paths of git configs and hooks, and of `.git` files"),
  problem: z
    .string()
    .nullable()
    .default(null)
    .describe("why the worktree may not be harmless, or the lists not complete; null if neither"),
});

/** The making of a session, and the beginning of each run. */
export const startEvents = {
  session_start: event("A session was created (`prep-feature`, `seed`) or its first run began (`run`).", {
    phase: z.enum(["prep-feature", "seed", "run"]),
    session: z.string(),
    source: z.string(),
    base_commit: oid,
    version: z.string(),
    image: z.string().nullable(),
    author: z.string().nullable(),
    reconciled: z.array(z.string()).optional().describe("what was repaired before the run began, one entry each"),
  }),
  isolation_receipt: event(
    "A container ran its self-test: each item with what was seen, and the limits that are discarded where it runs.",
    {
      role: z.string(),
      image: z.string(),
      runtime: z.string(),
      passed: z.boolean(),
      items: z.array(z.strictObject({ name: z.string(), passed: z.boolean(), seen: z.string() })),
      left_out: z.array(z.string()).describe("limits that are discarded where it runs, and that were not compared"),
      open_to: z.array(z.string()).default([]).describe("hosts that a person has allowed it to reach"),
    },
  ),
  environment: event(
    "The environment of the project that checks and worker have from now on, or that a submitted tree is judged in.",
    { ...maybeInTask, ...environmentFields },
  ),
  seed_committed: event("The commit with the acceptance tests was made; the session's branch moves to it next.", {
    sha: oid,
    tree: oid,
  }),
  session_prepared: event("Staging is complete. This is the last event before the first run.", {
    prd_entries: count,
    test_files: count,
    interviewer_model: z.string().nullable(),
    tokens_used: count,
    record: z.string().optional().describe("SHA-256 of its record in seed-meta.json"),
  }),
  session_resume: event(
    "A session was resumed: how it stopped before, which tasks are tried again, what was repaired, what is planned.",
    {
      last_stop: z.string().nullable().describe("reason of the last stop; null if the last run was cut short"),
      retried: z.array(z.string()).describe("ids of failed tasks that are tried again"),
      pending: z.array(z.string()).describe("ids of tasks that were pending already"),
      reconciled: z.array(z.string()).describe("what was repaired after a crash, one entry each"),
      plan: z.array(z.string()).describe("one line per task, for people"),
      image: z.string().describe("id of the hands image from now on"),
      image_before: z.string().nullable().describe("id of the hands image of the last run"),
    },
  ),
  lock_taken_over: event(
    "The lock of a dead process was taken over: who held it, and why that process is known to be dead.",
    { holder: z.record(z.string(), json), reason: z.string() },
  ),
};

/** The end of a run, and what a crash left of an earlier one. */
export const endEvents = {
  left_behind: leftBehindSchema.describe(
    "At the stop: changed files that run on ordinary actions, and what was renamed to make nested repositories harmless.",
  ),
  torn_tail: event("A crash had cut the last line of the log; its bytes were moved to `events.torn`.", {
    bytes: count,
  }),
  stop: event("The run ended. This is the last event of each `run` and `resume`.", {
    reason: stopReason,
    detail: z.string(),
    hint: z.string().describe("what a person can do now; may be empty"),
  }),
};
