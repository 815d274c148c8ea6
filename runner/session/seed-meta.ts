import { z } from "zod";

/** What a seed says of itself besides its tasks; goes to the worker as context. */
const seedNotesSchema = z.strictObject({
  tldr: z.string(),
  open_questions: z.array(z.string()),
  blockers: z.array(z.string()),
  scope_notes: z.string(),
});
export type SeedNotes = z.infer<typeof seedNotesSchema>;

const interviewSchema = z.strictObject({
  /** null for a seed written by hand */
  interviewer_model: z.string().nullable(),
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
  /** later interviews that added tasks, oldest first */
  appended: z.array(interviewSchema).optional(),
});
export type SeedMeta = z.infer<typeof seedMetaSchema>;

/** The record of a seed that no model had a part in. */
export function handWrittenMeta(notes: SeedNotes, at: Date): SeedMeta {
  return {
    interviewer_model: null,
    started_at: at.toISOString(),
    ended_at: at.toISOString(),
    tokens: { prompt: 0, completion: 0, total: 0 },
    ...notes,
  };
}
