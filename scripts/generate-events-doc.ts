import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import {
  configJsonSchema,
  doctorJsonSchema,
  doctorLiveJsonSchema,
  sessionJsonSchema,
  verificationJsonSchema,
} from "../runner/app/shapes/json-shapes.js";
import { lockRecordSchema } from "../runner/session/lock/lock-holder.js";
import { type EventType, eventPayloads, ledgerEntrySchema, taskFieldsSchema } from "../runner/session/log/events.js";
import { checkpointSchema } from "../runner/session/state/checkpoint.js";
import { prdSchema } from "../runner/session/state/prd.js";
import { seedMetaSchema } from "../runner/session/state/seed-meta.js";
import { summarySchema } from "../runner/session/summary/summary-schema.js";
import { fieldTable } from "./field-table.js";

const when: Readonly<Record<EventType, string>> = {
  session_start: "A session was created (`prep-feature`, `seed`) or its first run began (`run`).",
  isolation_receipt:
    "A container ran its self-test: each item with what was seen, and the limits that the engine discards.",
  environment:
    "The environment of the project that checks and worker have from now on, or that a submitted tree is judged in.",
  seed_committed: "The commit with the acceptance tests was made; the session's branch moves to it next.",
  session_prepared: "Staging is complete. This is the last event before the first run.",
  session_resume:
    "A session was resumed: how it stopped before, which tasks are tried again, what was repaired, what is planned.",
  lock_taken_over: "The lock of a dead process was taken over: who held it, and why that process is known to be dead.",
  context_reset: "A task begins; its conversation starts empty.",
  context_folded: "Old tool results were shortened to one line each, so that the next prompt fits the model's context.",
  memory_load: "What an opening prompt was put together from, channel by channel.",
  prompt_assembled: "Text that was said to a model, complete, as it was sent.",
  model_call: "A model replied: the complete reply and what it used.",
  empty_model_response: "A model replied with no content, calls or reasoning; it is asked again.",
  model_retry: "The endpoint failed in a way that may pass; it is asked again after `wait_ms`.",
  limit_wait: "A limit of the endpoint is waited for, before it refuses or because it did; this is no attempt.",
  parameter_left_out:
    "The endpoint refused a parameter that a request can do without; this process does not send it there again.",
  tool_call: "A tool call is about to run.",
  tool_result: "A tool call was answered: the complete answer, as the model got it.",
  calls_not_run: "Calls of one reply were answered without being run.",
  pre_tool_block: "A hook refused a command; it was not run.",
  hook_run: "A hook ran, before a command (`pre_tool`) or after an edit (`post_edit`).",
  case_parse_error: "A case was malformed or left out a criterion; the worker was told, and nothing was checked.",
  seed_test_not_red: "Staged tests passed before the work on their task began.",
  red_check: "Staged tests were run on the tree before the task's work: for each test, why it failed.",
  counter_check: "The staged tests were run again with their assertions made false.",
  base_suite:
    "The project's own tests were run on a tree that no task has changed yet, or changed environment of: which are held.",
  suite_run: "The project's own tests, as the last accepted tree has them, were run on a submitted tree.",
  check_run: "A tree was checked. Written once for each submit that reached a check.",
  evaluator_verdict: "The evaluator gave its verdict on a tree.",
  evaluator_parse_error: "The evaluator's answer was not a valid verdict.",
  ledger_appended: "An entry was added to the task's ledger.",
  task_done: "A task is done: accepted and committed.",
  task_failed: "A task ended without being accepted.",
  proposed_learnings: "The self-improve question was answered: the proposal, or why there is none.",
  commit_prepared: "The commit of an accepted tree exists; the branch has not moved yet.",
  commit: "The branch has moved to the commit.",
  egress: "A program of the worker asked to be connected to a host, and this is what came of it.",
  hands_lost: "A container was lost.",
  hands_restarted: "A new container replaced the lost one.",
  left_behind:
    "At the stop: changed files that run on ordinary actions, and what was renamed to make nested repositories harmless.",
  torn_tail: "A crash had cut the last line of the log; its bytes were moved to `events.torn`.",
  stop: "The run ended. This is the last event of each `run` and `resume`.",
};

const files = [
  ["checkpoint.json", "The state of the session.", checkpointSchema],
  ["prd.json", "The tasks; only `status` ever changes.", prdSchema],
  [
    "seed-meta.json",
    "The record of the interview. In a hand-written seed `interviewer_model` is null.",
    seedMetaSchema,
  ],
  ["ledger/&lt;task&gt;.jsonl", "One line per evaluator call.", ledgerEntrySchema],
  ["summary.json", "Sums made from the events.", summarySchema],
  ["lock", "The process that holds the session now.", lockRecordSchema],
] as const;

const answers = [
  ["`tilth sessions --json`", "A list, newest first; each entry is", sessionJsonSchema],
  ["`tilth sessions show <id> --json`", "`summary.json` as above, or null when there is none yet.", null],
  ["`tilth verify <id> --json`", "Exit code 1 when `agrees` is false.", verificationJsonSchema],
  ["`tilth doctor --json`", "Exit code 1 when `ok` is false.", doctorJsonSchema],
  [
    "`tilth doctor --live --json`",
    "The same; `live` has an entry for each model that was asked, which roles may share.",
    doctorLiveJsonSchema,
  ],
  ["`tilth config --json`", "Every setting and where it came from.", configJsonSchema],
] as const;

const intro = `# Events and state files

Generated by \`npm run docs\` from the zod schemas in \`runner/session/\`; do not edit.

\`events.jsonl\` holds one JSON object per line: \`v\` (1), \`seq\` (counts up from 0), \`ts\` (UTC), \`type\`, \`payload\`.
A last line without a line break was cut by a crash and is not an event. Known key values are masked in every text.
Each table lists the fields of \`payload\`; a field marked "may be absent" is left out where it does not apply.

## Fields of a task

Every event of a task carries these fields, and an event of an interview carries \`iter\` alone. The tables below do not repeat them.
`;

export function renderEventsDoc(): string {
  const types = Object.keys(eventPayloads) as EventType[];
  const events = types.map(eventSection);
  const state = files.map(([name, what, schema]) => section(name, what, table(schema)));
  const json = answers.map(([name, what, schema]) => section(name, what, schema === null ? "" : table(schema)));
  return [
    intro,
    table(taskFieldsSchema),
    "## Events\n",
    ...events,
    "## State files\n",
    ...state,
    "## What `--json` prints\n",
    ...json,
  ].join("\n");
}

function eventSection(type: EventType): string {
  const schema = z.toJSONSchema(eventPayloads[type]);
  const ofTask = schema.properties?.task_id !== undefined;
  const always = schema.required?.includes("task_id") ?? false;
  const carried = always ? "Carries the fields of a task." : "Carries the fields of a task when it belongs to one.";
  const fields = fieldTable(schema, ofTask ? new Set(Object.keys(taskFieldsSchema.shape)) : new Set());
  return section(`\`${type}\``, ofTask ? `${when[type]} ${carried}` : when[type], fields);
}

function table(schema: z.ZodType): string {
  return fieldTable(z.toJSONSchema(schema));
}

function section(title: string, what: string, fields: string): string {
  return `### ${title}\n\n${what}\n${fields === "" ? "" : `\n${fields}`}`;
}

const script = fileURLToPath(import.meta.url);
if (process.argv[1] === script) writeFileSync(new URL("../docs/events.md", import.meta.url), renderEventsDoc());
