import { z } from "zod";

export const sessionStatus = z.enum(["preparing", "prepared", "running", "all_done", "failed"]);
export type SessionStatus = z.infer<typeof sessionStatus>;

const oid = z.string().regex(/^[0-9a-f]{40}$/);

export const checkpointSchema = z.strictObject({
  v: z.literal(1),
  /** which shape of prd.json and which loop; the only one so far */
  mode: z.literal("tasks"),
  id: z.string(),
  status: sessionStatus,
  /** real path of the source's work tree */
  source: z.string(),
  /** the source's HEAD when the session was made */
  base_commit: oid,
  /** what the branch held when this was written: the seed commit, then each accepted task's */
  last_commit: oid,
  /** engine id of the hands image, once a run has chosen one */
  image: z.string().nullable(),
  tokens: z.number().int().nonnegative(),
  /** as the provider reports it; null while it never has */
  cost: z.number().nonnegative().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;
