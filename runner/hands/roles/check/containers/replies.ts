import { z } from "zod";
import { boundedJson, listOf } from "../../../../text/bounded-json.js";

const count = z.int().nonnegative();

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
