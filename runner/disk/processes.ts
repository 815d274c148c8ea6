import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { errnoCode } from "./disk-trouble.js";

/** Tells one process from every other, over reboots, reused ids and pid namespaces, as far as the system lets it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** in ticks since boot; null when the system does not tell */
  readonly started: string | null;
  readonly boot_id: string | null;
  readonly pid_ns: string | null;
  readonly host: string;
  readonly machine: string | null;
}

export interface ProcessTable {
  self(): ProcessIdentity;
  /** Looks up a process of this pid namespace; `started` is as in ProcessIdentity. */
  look(pid: number): { readonly alive: boolean; readonly started: string | null };
}

export const systemProcesses: ProcessTable = {
  self: () => ({
    pid: process.pid,
    started: statOf("self")?.started ?? null,
    boot_id: textOf("/proc/sys/kernel/random/boot_id"),
    pid_ns: process.platform === "linux" ? linkOf("/proc/self/ns/pid") : "none",
    host: hostname(),
    machine: textOf("/etc/machine-id"),
  }),
  look: (pid) => {
    const stat = statOf(String(pid));
    // a zombie holds no resources any more
    if (stat !== null) return { alive: stat.state !== "Z" && stat.state !== "X", started: stat.started };
    return { alive: answersSignals(pid), started: null };
  },
};

function statOf(pid: string): { state: string; started: string } | null {
  const text = textOf(`/proc/${pid}/stat`);
  if (text === null) return null;
  // the command name stands in brackets and may hold anything, brackets too
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [fields[0], fields[19]];
  return state === undefined || started === undefined ? null : { state, started };
}

/** hidepid may hide other users' processes from /proc, but not from a signal. */
function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoCode(error) === "EPERM";
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim() || null;
  } catch {
    return null;
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
