import type { Found } from "./run.js";

/** What docs/real-projects.md says. */
export function tableOf(found: readonly Found[]): string {
  return `x
${found.length}`;
}
