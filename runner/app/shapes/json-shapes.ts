import { z } from "zod";
import { apis } from "../../base/apis.js";
import type { SessionRow } from "../../session/listing.js";
import { stopReason } from "../../session/log/events/outcome.js";
import { sessionStatus } from "../../session/state/checkpoint.js";

const count = z.number().int().nonnegative();

/** One entry of `tilth sessions --json`, which is a list of them, newest first. */
export const sessionJsonSchema = z.strictObject({
  id: z.string(),
  status: sessionStatus.nullable().describe("null if its files cannot be read; `problem` says why"),
  last_stop: stopReason
    .nullable()
    .describe("null while it runs, before the first run, or if the last run was cut short"),
  held_by: z.strictObject({ pid: count, host: z.string() }).nullable(),
  source: z.string().nullable(),
  label: z.string(),
  tasks: z.strictObject({ done: count, failed: count, pending: count }).nullable(),
  tokens: count.nullable().describe("as TILTH_MAX_TOKENS counts: cached tokens at a tenth"),
  cost: z.number().nonnegative().nullable().describe("US dollars, as far as they are known"),
  created_at: z.iso.datetime().nullable(),
  age_seconds: count.nullable(),
  problem: z.string().nullable(),
});
export type SessionJson = z.infer<typeof sessionJsonSchema>;

export function sessionJson(row: SessionRow): SessionJson {
  return {
    id: row.id,
    status: row.status,
    last_stop: row.lastStop,
    held_by: row.heldBy,
    source: row.source,
    label: row.label,
    tasks: row.tasks,
    tokens: row.tokens,
    cost: row.cost,
    created_at: row.createdAt,
    age_seconds: row.ageMs === null ? null : Math.floor(row.ageMs / 1000),
    problem: row.problem,
  };
}

export const findingSchema = z.strictObject({
  name: z.string(),
  ok: z.boolean(),
  seen: z.string(),
  remedy: z.string().describe("the one thing to do; empty if nothing is wrong"),
});

/** `tilth doctor --json` */
export const doctorJsonSchema = z.strictObject({ ok: z.boolean(), findings: z.array(findingSchema) });

/** One model as the live check saw it. A field is null if the exchange did not get that far. */
export const liveReportSchema = z.strictObject({
  roles: z.array(z.enum(["worker", "evaluator", "interviewer"])).describe("those that share it"),
  base_url: z.string(),
  model: z.string().describe("the one asked for"),
  model_answered: z.string().nullable().describe("as the endpoint names the one that answered"),
  finished: z.boolean().describe("it called a tool, got the results, and answered in words"),
  ms: z.array(z.number().nonnegative()).describe("how long each reply took"),
  api: z.enum(apis).describe("the interface it was asked through at the end"),
  api_switched: z.boolean().describe("it was asked through the other one first"),
  called_tool: z.boolean().nullable(),
  arguments_are_objects: z.boolean().nullable().describe("of all its calls"),
  parallel_calls: z.boolean().nullable().describe("two calls came in one reply"),
  used_results: z.boolean().nullable().describe("its answer has what the tools said"),
  reasoning: z
    .enum(["none_seen", "kept", "refused", "not_returned"])
    .nullable()
    .describe(
      "what it thought before its calls: none was seen; it went back and was taken; the endpoint did not take it back; nothing came that could go back",
    ),
  second_call: z
    .strictObject({ prompt_tokens: count, cached_tokens: count })
    .nullable()
    .describe("how much of the second prompt came from the provider's cache; null too where nobody counts"),
  usage: z.enum(["told", "estimated"]).nullable(),
  tokens: count.describe("prompts and replies, each token as one"),
  cost: z.number().nonnegative().nullable().describe("US dollars, as far as they are known"),
  cost_from: z.enum(["provider", "prices"]).nullable(),
  left_out: z
    .array(z.strictObject({ parameter: z.string(), sent_instead: z.string().nullable(), reason: z.string() }))
    .describe("what the endpoint refused and a request could do without"),
});
export type LiveReport = Readonly<z.infer<typeof liveReportSchema>>;

/** `tilth doctor --live --json` */
export const doctorLiveJsonSchema = z.strictObject({
  ok: z.boolean(),
  findings: z.array(findingSchema),
  live: z.array(liveReportSchema),
});

/** `tilth config --json` */
export const configJsonSchema = z.strictObject({
  home: z.string(),
  settings: z.array(
    z.strictObject({
      name: z.string(),
      value: z.string().nullable().describe("masked if it is a secret; null if it is not set"),
      origin: z.enum(["environment", "file", "default", "unset"]),
      about: z.string(),
    }),
  ),
});

/** `tilth verify --json` */
export const verificationJsonSchema = z.strictObject({
  id: z.string(),
  agrees: z.boolean(),
  compared: z.array(z.string()).describe("what was compared with what, one sentence each"),
  remarks: z
    .array(z.string())
    .describe("what could not be compared, or was compared with something other than what was recorded"),
  differs: z.array(
    z.strictObject({
      what: z.string(),
      where: z.string().describe("file, line and field, or the commit"),
      expected: z.string(),
      seen: z.string(),
    }),
  ),
});
