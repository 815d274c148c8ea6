import { z } from "zod";
import { boundedJson, listOf } from "../../../text/bounded-json.js";
import { betrayals } from "../../ports/checks.js";

const count = z.number().int().nonnegative();
const words = listOf(z.string());

export const judgeReport = z.strictObject({
  expected: listOf(z.strictObject({ id: z.string(), many: z.boolean(), count: count.optional() })),
  changes: listOf(
    z.strictObject({
      path: z.string(),
      table: z.string().nullable(),
      what: z.enum(["changed", "added", "deleted", "shadows", "unreadable_code"]),
      allowed: z.boolean(),
      remedy: z.string(),
    }),
  ),
  notes: words,
  findings: listOf(
    z.strictObject({
      path: z.string(),
      line: count,
      rule: z.string(),
      kind: z.enum(["forges", "smells"]),
      why: z.string(),
      excused: z.boolean(),
    }),
  ),
});

export const unchangedReport = z.strictObject({ paths: words });

export const touchedReport = z.strictObject({ paths: words });

export const bodiesReport = z.strictObject({
  files: z.array(z.strictObject({ functions: z.record(z.string(), z.string()) })),
});

/** A run of the project's own tests sends this in a line before its report. */
export const suiteReport = z.strictObject({
  nonce: z.string(),
  not_run: words,
  broken_off: words,
  in_code: words,
  rewritten: words,
});

export const linesReport = z.strictObject({ lines: words });

export const ruffRulesReport = z.strictObject({
  configured: z.boolean(),
  selects: z.boolean(),
  more: words,
  ignored: words,
  ruff: z.strictObject({ program: z.string(), version: z.string(), own: z.boolean() }),
});

export const olderReport = z.strictObject({
  same: words,
  changed: z.array(z.strictObject({ path: z.string(), hunks: z.array(z.tuple([count, count, count, count])) })),
});

export const differingReport = z.strictObject({
  files: z.array(z.strictObject({ path: z.string(), what: z.enum(["changed", "deleted"]), touched: z.boolean() })),
  added: words,
});

export const stagedReport = z.strictObject({
  facts: listOf(
    z.strictObject({
      path: z.string(),
      problem: z.string(),
      tests: listOf(
        z.strictObject({
          id: z.string(),
          keep_green: z.string().nullable(),
          always_left_out: z.boolean(),
          left_out_ids: words,
          asserts: z.boolean(),
          surely_asserts: z.enum(["itself", "somewhere"]).nullable(),
          criteria: listOf(count),
        }),
      ),
      assertions: listOf(
        z.strictObject({ id: z.string(), test: z.string().nullable(), unfair: z.string().nullable() }),
      ),
    }),
  ),
  declared: listOf(z.strictObject({ module: z.string(), requirement: z.string() })),
});

/** The report of the process that ran the tests; no other process can write it unless it knows the nonce. */
export const pytestReport = z.strictObject({
  nonce: z.string(),
  exit: z.number().int(),
  finished: z.boolean(),
  results: listOf(
    z.strictObject({
      id: z.string(),
      outcome: z.enum(["passed", "failed", "error", "skipped", "xfailed", "xpassed"]),
      text: z.string(),
    }),
  ),
  collect_errors: listOf(z.strictObject({ path: z.string(), reason: z.string(), text: z.string() })),
  missing: words,
  dropped: words,
  unserved: words,
  installed_in: z.enum(["environment", "image"]),
  reached: z.record(z.string(), words),
  opened: words,
  ground: listOf(
    z.strictObject({
      kind: z.enum(["replaced", "planted", "rewritten", "rewritten_by_tests"]),
      what: z.string(),
      where: z.string(),
    }),
  ),
  found: z.array(z.strictObject({ site: z.string(), test: z.string(), why: z.enum(betrayals), by: words })),
  agreed: z.array(z.strictObject({ site: z.string(), test: z.string(), by: words })),
  given: z.record(z.string(), words),
});
export type RawPytest = z.infer<typeof pytestReport>;

/** `ruff check --output-format json`; syntax errors have no code. */
export const ruffFindings = listOf(
  z.object({
    filename: z.string(),
    code: z.string().nullable().optional(),
    message: z.string(),
    location: z.object({ row: count }).nullable().optional(),
  }),
);

/** enough for a report of a hundred thousand tests */
const mostValues = 2_000_000;

/** Returns null for bytes that do not fit the schema, whoever wrote them. */
export function reportAs<T>(schema: z.ZodType<T>, bytes: Uint8Array): T | null {
  return schema.safeParse(boundedJson(bytes, mostValues)).data ?? null;
}
