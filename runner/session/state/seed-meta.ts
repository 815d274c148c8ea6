import { createHash } from "node:crypto";
import { z } from "zod";

/** Notes of a seed besides its tasks; shown to the worker as context. */
const seedNotesSchema = z.strictObject({
  tldr: z.string(),
  open_questions: z.array(z.string()),
  blockers: z.array(z.string()),
  scope_notes: z.string(),
});
export type SeedNotes = z.infer<typeof seedNotesSchema>;

const interviewSchema = z.strictObject({
  interviewer_model: z.string().nullable().describe("null for a hand-written seed"),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  tokens: z.strictObject({
    prompt: z.number().int().nonnegative(),
    completion: z.number().int().nonnegative(),
    total: z.number().int().nonnegative(),
  }),
  ...seedNotesSchema.shape,
});

export const seedMetaSchema = z.strictObject({
  ...interviewSchema.shape,
  appended: z.array(interviewSchema).optional().describe("later interviews that added tasks, oldest first"),
});
export type SeedMeta = z.infer<typeof seedMetaSchema>;
export type InterviewRecord = z.infer<typeof interviewSchema>;

/** The hash of one record, without the interviews that came after it. */
export function digestOf(record: InterviewRecord): string {
  const own = z.object(interviewSchema.shape).parse(record);
  return createHash("sha256").update(JSON.stringify(own)).digest("hex");
}

/** The record of a seed written without a model. */
export function handWrittenMeta(notes: SeedNotes, at: Date): SeedMeta {
  return {
    interviewer_model: null,
    started_at: at.toISOString(),
    ended_at: at.toISOString(),
    tokens: { prompt: 0, completion: 0, total: 0 },
    ...notes,
  };
}
