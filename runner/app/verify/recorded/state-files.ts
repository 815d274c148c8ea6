import { TilthError } from "../../../base/errors.js";
import type { SessionFiles } from "../../../session/session-files.js";
import type { Checkpoint } from "../../../session/state/checkpoint.js";
import type { Prd } from "../../../session/state/prd.js";
import type { SeedMeta } from "../../../session/state/seed-meta.js";
import type { Summary } from "../../../session/summary/summary-schema.js";
import { absent, type Findings } from "../log/findings.js";

/** The state files as they are; null for a file that cannot be read, which is a difference then. */
export interface State {
  readonly checkpoint: Checkpoint | null;
  readonly prd: Prd | null;
  readonly seedMeta: SeedMeta | null;
  readonly summary: Summary | null;
  /** lines of progress.txt */
  readonly progress: readonly string[] | null;
}

export function loadState(files: SessionFiles, findings: Findings): State {
  const state = {
    checkpoint: readable("checkpoint.json", findings, () => files.loadCheckpoint()),
    prd: readable("prd.json", findings, () => files.loadPrd()),
    seedMeta: readable("seed-meta.json", findings, () => files.loadSeedMeta()),
    summary: readable("summary.json", findings, () => files.loadSummary() ?? undefined),
    progress: readable("progress.txt", findings, () => files.progress()),
  };
  findings.compared.push("checkpoint.json, prd.json, seed-meta.json, summary.json, progress.txt: their form");
  return state;
}

/** A file that cannot be read is reported as a difference; a failing disk is an error. */
export function readable<T>(name: string, findings: Findings, load: () => T | undefined): T | null {
  try {
    const loaded = load();
    if (loaded !== undefined) return loaded;
    findings.differ({ what: name, where: name, expected: "the file", seen: absent });
  } catch (error) {
    if (!(error instanceof TilthError) || error.code !== "usage") throw error;
    findings.differ({ what: name, where: name, expected: "a file of its schema", seen: error.message });
  }
  return null;
}
