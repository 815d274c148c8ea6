import { readFileSync, readlinkSync } from "node:fs";

/** `boot` is the kernel's boot id; the other keys are kinds of namespaces, with the kernel's name for each. */
export type Namespaces = Readonly<Record<string, string>>;

/** Returns this process's own namespaces; empty when the kernel is no Linux. */
export function ownNamespaces(): Namespaces {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const kinds = ["net", "ipc", "pid", "uts"].map((kind) => [kind, readlinkSync(`/proc/self/ns/${kind}`)]);
    return { boot, ...Object.fromEntries(kinds) };
  } catch {
    return {};
  }
}
