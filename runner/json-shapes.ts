import { z } from "zod";
import { sessionStatus } from "./session/checkpoint.js";
import type { SessionRow } from "./session/listing.js";
import { stopReason } from "./session/outcome.js";

const count = z.number().int().nonnegative();

/** One entry of `tilth sessions --json`, which is a list of them, newest first. */
export const sessionJsonSchema = z.strictObject({
  id: z.string(),
  /** null when its files cannot be read; `problem` says why */
  status: sessionStatus.nullable(),
  /** null while it runs, before the first run, or when the last one died without a word */
  last_stop: stopReason.nullable(),
  held_by: z.strictObject({ pid: count, host: z.string() }).nullable(),
  source: z.string().nullable(),
  label: z.string(),
  tasks: z.strictObject({ done: count, failed: count, pending: count }).nullable(),
  tokens: count.nullable(),
  cost: z.number().nonnegative().nullable(),
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
  /** the one thing to do; empty when nothing is wrong */
  remedy: z.string(),
});

/** `tilth doctor --json` */
export const doctorJsonSchema = z.strictObject({ ok: z.boolean(), findings: z.array(findingSchema) });

/** `tilth config --json` */
export const configJsonSchema = z.strictObject({
  home: z.string(),
  settings: z.array(
    z.strictObject({
      name: z.string(),
      /** masked where it is a secret; null when it is not set */
      value: z.string().nullable(),
      origin: z.enum(["environment", "file", "default", "unset"]),
      about: z.string(),
    }),
  ),
});
