import { z } from "zod";
import type { ProcessTable } from "../../disk/processes.js";

/** The content of a session's lock file; the heartbeat is rewritten in place. */
export const lockRecordSchema = z.strictObject({
  v: z.literal(1),
  pid: z.number().int().positive(),
  started: z.string().nullable(),
  boot_id: z.string().nullable(),
  pid_ns: z.string().nullable(),
  host: z.string(),
  machine: z.string().nullable(),
  token: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .describe("new each time the lock is taken; only its holder may replace or remove the file"),
  taken_at: z.iso.datetime(),
  heartbeat: z.iso.datetime(),
});
export type LockRecord = z.infer<typeof lockRecordSchema>;

const heartbeatLimitMs = 60_000;

export type Standing =
  | { readonly held: true; readonly where: "here" | "another_namespace" | "another_host" }
  | { readonly held: false; readonly reason: string };

/** Tells if the process that wrote `record` still holds its lock. */
export function standingOf(record: LockRecord, processes: ProcessTable, now: Date): Standing {
  const self = processes.self();
  const sameBoot = record.boot_id !== null && record.boot_id === self.boot_id;
  if (!sameBoot) {
    const sameHost = record.host === self.host && (record.machine ?? self.machine) === (self.machine ?? record.machine);
    if (!sameHost) return { held: true, where: "another_host" };
    if (record.boot_id !== self.boot_id) return { held: false, reason: "the machine was restarted since" };
  }
  if (record.pid_ns === null || record.pid_ns !== self.pid_ns) return byHeartbeat(record, now, "another_namespace");
  const process = processes.look(record.pid);
  if (!process.alive) return { held: false, reason: `process ${record.pid} is gone` };
  if (process.started === null || record.started === null) return byHeartbeat(record, now, "here");
  if (process.started === record.started) return { held: true, where: "here" };
  return { held: false, reason: `process ${record.pid} is another one now` };
}

function byHeartbeat(record: LockRecord, now: Date, where: "here" | "another_namespace"): Standing {
  if (isFresh(Date.parse(record.heartbeat), now)) return { held: true, where };
  return { held: false, reason: `no heartbeat since ${record.heartbeat}` };
}

export function isFresh(heartbeatMs: number, now: Date): boolean {
  return now.getTime() - heartbeatMs <= heartbeatLimitMs;
}
