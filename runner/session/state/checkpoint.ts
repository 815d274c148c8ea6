import { z } from "zod";

export const sessionStatus = z.enum(["preparing", "prepared", "running", "all_done", "failed"]);
export type SessionStatus = z.infer<typeof sessionStatus>;

const oid = z.string().regex(/^[0-9a-f]{40}$/);

export const checkpointSchema = z.strictObject({
  v: z.literal(1),
  mode: z.literal("tasks").describe("the kind of session; there is only one so far"),
  id: z.string(),
  status: sessionStatus,
  source: z.string().describe("real path of the source"),
  /** the source's HEAD when the session was made */
  base_commit: oid,
  last_commit: oid.describe("the tip of the branch when this was written"),
  image: z.string().nullable().describe("id of the hands image, once a run has chosen one"),
  tokens: z.number().int().nonnegative().describe("as TILTH_MAX_TOKENS counts: cached tokens at a tenth"),
  cost: z.number().nonnegative().nullable().describe("US dollars, as far as they are known; null if none are"),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;
