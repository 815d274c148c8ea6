import { readFileSync, readlinkSync } from "node:fs";

/** `boot`: the kernel's boot id; beside it, by kind, what the kernel calls each namespace of a process. */
export type Namespaces = Readonly<Record<string, string>>;

/** This process's own; empty where the kernel is no Linux. */
export function ownNamespaces(): Namespaces {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const kinds = ["net", "ipc", "pid", "uts"].map((kind) => [kind, readlinkSync(`/proc/self/ns/${kind}`)]);
    return { boot, ...Object.fromEntries(kinds) };
  } catch {
    return {};
  }
}
