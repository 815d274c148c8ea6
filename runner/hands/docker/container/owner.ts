import { createHash } from "node:crypto";
import { z } from "zod";
import { type ProcessTable, systemProcesses } from "../../../disk/processes.js";

const owner = z.object({
  host: z.string(),
  machine: z.string().nullable(),
  boot_id: z.string().nullable(),
  pid_ns: z.string().nullable(),
  pid: z.number().int(),
  started: z.string().nullable(),
  uid: z.number().int(),
  home: z.string(),
});
export type Owner = z.infer<typeof owner>;

/** Describes the owner of a container: this process, and the home it works for. */
export function ownerOf(home: string, processes: ProcessTable = systemProcesses): Owner {
  const { host, machine, boot_id, pid_ns, pid, started } = processes.self();
  return { host, machine, boot_id, pid_ns, pid, started, uid: process.getuid?.() ?? -1, home: hashOf(home) };
}

export function parseOwner(label: string | undefined): Owner | null {
  try {
    return owner.parse(JSON.parse(label ?? ""));
  } catch {
    return null;
  }
}

/** True for the same home of the same user on the same machine: only things of such owners may be judged. */
export function isOurs(other: Owner, own: Owner): boolean {
  const sameMachine = own.machine === null ? other.host === own.host : other.machine === own.machine;
  return other.home === own.home && other.uid === own.uid && sameMachine;
}

/** True when certainly dead; a process in another pid namespace cannot be judged and counts as alive. */
export function isDead(other: Owner, own: Owner, processes: ProcessTable = systemProcesses): boolean {
  if (other.boot_id !== own.boot_id) return other.boot_id !== null && own.boot_id !== null;
  if (other.pid_ns !== own.pid_ns) return false;
  const seen = processes.look(other.pid);
  return !seen.alive || (seen.started !== null && other.started !== null && seen.started !== other.started);
}

function hashOf(home: string): string {
  return createHash("sha256").update(home).digest("hex").slice(0, 16);
}
