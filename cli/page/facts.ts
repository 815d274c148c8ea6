import { lstatSync } from "node:fs";
import { TilthError } from "../../runner/base/errors.js";
import {
  type SessionFiles,
  type SessionJson,
  type SessionRow,
  type SessionStore,
  sessionJson,
} from "../../runner/index.js";
import { toolLooks } from "../../runner/tools/roles.js";
import type { ToolLooks } from "../../runner/tools/tool/look.js";

/** The data about a session that its page gets besides the log. The page trusts none of it; see `browser/read.ts`. */
export interface SessionFacts {
  readonly session: ListedSession;
  readonly live: boolean;
  /** checkpoint.json, prd.json, seed-meta.json and summary.json; null for a file that is missing or cannot be read */
  readonly checkpoint: unknown;
  readonly tasks: unknown;
  readonly seed: unknown;
  readonly summary: unknown;
  /** one sentence for each file that could not be read */
  readonly problems: readonly string[];
  /** how calls are drawn: the page's script knows no tool by itself */
  readonly tools: ToolLooks;
}

/** Leaves out the age, which would change every second and count as news. */
export type ListedSession = Omit<SessionJson, "age_seconds">;

export function listed(row: SessionRow): ListedSession {
  const { age_seconds: _, ...rest } = sessionJson(row);
  return rest;
}

export function factsOf(store: SessionStore, files: SessionFiles, live: boolean): SessionFacts {
  const problems: string[] = [];
  const read = (path: string, load: () => unknown): unknown => {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
    try {
      return load();
    } catch (error) {
      problems.push(error instanceof TilthError ? error.message : String(error));
      return null;
    }
  };
  const { paths } = files;
  return {
    session: listed(store.row(files.id)),
    live,
    checkpoint: read(paths.checkpoint, () => files.loadCheckpoint()),
    tasks: read(paths.prd, () => files.loadPrd()),
    seed: read(paths.seedMeta, () => files.loadSeedMeta()),
    summary: read(paths.summary, () => files.loadSummary()),
    problems,
    tools: toolLooks,
  };
}
