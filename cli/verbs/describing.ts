import type { Surroundings } from "../output/surroundings.js";

/** Runs a verb's work with its surroundings and keeps its exit code. */
export type Run = (work: (around: Surroundings) => Promise<number>) => Promise<void>;

export const allowHost = [
  "--allow-host <host>",
  "let the worker reach it: name, name:port, *.suffix; may be repeated",
  (host: string, before: readonly string[] = []) => [...before, host],
] as const;

export const trust = ["--trust-source", "accept settings of the source that make git run commands"] as const;

export const waitForLimit = ["--wait-for-limit", "wait until a model's daily or weekly limit ends"] as const;

export function example(...lines: readonly string[]): string {
  return ["", `Example${lines.length > 1 ? "s" : ""}:`, ...lines.map((line) => `  $ ${line}`)].join("\n");
}
