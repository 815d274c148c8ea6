import { z } from "zod";
import { categories, itemStatuses, makers, priorities, roles } from "./words.js";

const text = z.string();
const texts = z.array(z.string()).readonly();
const id = z.string();
const role = z.enum(roles);

export const bug = z.strictObject({
  severity: z.enum(["critical", "high", "medium", "low"]),
  issue: text,
  file: text.optional(),
  line: z.int().optional(),
  expected: text.optional(),
  actual: text.optional(),
  fix: text.optional(),
});

export const plannedItem = z.strictObject({
  id,
  title: text,
  description: text,
  category: z.enum(categories),
  priority: z.enum(priorities),
  agent: z.enum(makers).nullable(),
  acceptanceCriteria: texts,
  verificationSteps: texts,
  dependencies: texts,
  files: texts,
});

const passOrFail = { result: z.enum(["pass", "fail"]), evidence: text };

/** Everything that may be asked of the kernel, with who may ask it. */
export const intents = {
  opened: {
    by: ["supervisor"],
    args: {
      rules: z.strictObject({
        attempts: z.int().positive(),
        maxIterations: z.int().positive(),
        retrospective: z.boolean(),
        playtest: z.boolean(),
        awaitingMinutes: z.number().positive(),
        pmAlways: z.boolean(),
      }),
    },
  },
  turn_started: { by: ["supervisor"], args: { role, messages: texts, item: id.nullable() } },
  turn_ended: {
    by: ["supervisor"],
    args: { role, exit: z.enum(["idle", "awaiting_pm", "awaiting_gd", "crashed", "infra"]), reason: text },
  },
  candidate_made: { by: ["supervisor"], args: { item: id, tree: text, commit: text } },
  candidate_spoiled: { by: ["supervisor"], args: { item: id, bugs: z.array(bug).min(1).readonly() } },
  committed: { by: ["qa"], args: { item: id, tree: text, commit: text } },
  timed_out: { by: ["supervisor"], args: { role, reason: text } },
  tell: { by: ["person"], args: { to: role, text } },
  unblock: { by: ["person"], args: { item: id } },
  end: { by: ["person"], args: {} },
  finish: { by: ["supervisor"], args: { status: z.enum(["completed", "max_iterations_reached"]) } },
  wake_up: { by: ["supervisor"], args: { role } },
  log_progress: { by: roles, args: { text } },
  done: { by: roles, args: { summary: text } },
  start: { by: makers, args: { item: id } },
  complete_task: {
    by: makers,
    args: {
      summary: text,
      ac_coverage: z
        .array(z.strictObject({ criterion: text, addressed_by: text, evidence: text.optional() }))
        .readonly(),
      work_arounds: texts.default([]),
      uncertainties: texts.default([]),
    },
  },
  ask: {
    by: ["developer", "techartist", "qa", "gamedesigner"],
    args: { to: z.enum(["pm", "gamedesigner"]), question: text, context: text.optional() },
  },
  report_blocked: { by: makers, args: { reason: text } },
  submit_validation: {
    by: ["qa"],
    args: {
      result: z.enum(["PASSED", "FAILED"]),
      tree: text,
      criteria: z.array(z.strictObject({ criterion: text, ...passOrFail })).readonly(),
      steps: z.array(z.strictObject({ step: text, ...passOrFail })).readonly(),
      bugs: z.array(bug).readonly(),
    },
  },
  answer: { by: ["gamedesigner", "pm"], args: { message: id, answer: text } },
  submit_playtest: {
    by: ["gamedesigner"],
    args: {
      item: id,
      summary: text,
      issues: z.array(z.strictObject({ title: text, description: text, acceptanceCriteria: texts })).readonly(),
    },
  },
  contribute: {
    by: ["developer", "techartist", "qa", "gamedesigner"],
    args: { item: id, worked: text, hurt: text, change: text },
  },
  assign: { by: ["pm"], args: { item: id, agent: z.enum(makers) } },
  set_priority: { by: ["pm"], args: { item: id, priority: z.enum(priorities) } },
  edit_item: {
    by: ["pm"],
    args: {
      item: id,
      title: text.optional(),
      description: text.optional(),
      acceptanceCriteria: texts.optional(),
      verificationSteps: texts.optional(),
      dependencies: texts.optional(),
    },
  },
  add_items: { by: ["pm"], args: { items: z.array(plannedItem).min(1).readonly() } },
  promote: { by: ["pm"], args: { ids: z.array(id).min(1).readonly() } },
  advance: { by: ["pm"], args: { item: id, to: z.enum(itemStatuses), note: text } },
  write_skill: { by: ["pm"], args: { role, text } },
  write_retrospective: { by: ["pm"], args: { item: id, text } },
} as const;

export type IntentName = keyof typeof intents;
type Args<Name extends IntentName> = keyof (typeof intents)[Name]["args"] extends never
  ? unknown
  : z.infer<z.ZodObject<(typeof intents)[Name]["args"]>>;
export type Intent = { [Name in IntentName]: { readonly intent: Name } & Readonly<Args<Name>> }[IntentName];
export type IntentOf<Name extends IntentName> = Extract<Intent, { readonly intent: Name }>;
