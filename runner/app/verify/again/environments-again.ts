import { type CommitId, type TreeId, treeId } from "../../../base/ids.js";
import { dependencyFiles } from "../../../environment/dependency-files.js";
import { type EnvironmentChoice, namedIn, sha256 } from "../../../environment/environment-key.js";
import { idOf, type PastEnvironment, PastEnvironments } from "../../../environment/past-environments.js";
import { ClerkFiles, type ClerkParts, recordedFiles } from "../../../environment/tree-files.js";
import type { Clerk } from "../../../hands/ports/clerk.js";
import type { TilthEvent } from "../../../session/log/events.js";
import type { SessionFiles } from "../../../session/session-files.js";
import { EnvironmentLocks } from "../../../session/state/environment-locks.js";
import { CommitFiles } from "../../../source/git/commit-files.js";
import type { Source } from "../../../source/preflight/preflight.js";
import { absent, type Findings } from "../log/findings.js";
import { type LoggedEvent, lineOfLog, type RecordedLog } from "../log/recorded-log.js";
import type { RecheckHands } from "./recheck-hands.js";

export interface TaskEnvironments {
  /** the environment the task began in */
  readonly before: PastEnvironment | null;
  /** the environment its tree was judged in */
  readonly own: PastEnvironment | null;
  /** the event of that environment, if the task changed it */
  readonly logged: LoggedEvent<"environment"> | null;
}

/** A session's recorded environments, and the one of each tree. */
export class EnvironmentsOnRecord {
  readonly #locks: EnvironmentLocks;
  readonly #tried = new Map<string, TaskEnvironments>();
  readonly #past = new PastEnvironments();

  constructor(log: RecordedLog, files: SessionFiles) {
    this.#locks = new EnvironmentLocks(files.paths);
    const logged = new Map<string, LoggedEvent<"environment">>();
    for (const event of log.of("environment", "commit")) {
      const { type, payload } = event;
      const before = this.#past.inForce;
      this.#past.add({ type, payload } as TilthEvent);
      const { tree, task_id = "" } = payload;
      if (event.type === "environment") logged.set(idOf({ tree: tree ?? "", task_id }), event);
      else if (tree !== null)
        this.#tried.set(tree, { before, own: this.#past.inForce, logged: logged.get(idOf({ tree, task_id })) ?? null });
    }
  }

  triedIn(tree: TreeId): TaskEnvironments {
    return this.#tried.get(tree) ?? { before: null, own: null, logged: null };
  }

  lockOf(key: string): string | null {
    return this.#locks.load(key);
  }

  get choice(): EnvironmentChoice {
    return this.#past.choice ?? { dependencies: null, fromSource: [], version: null };
  }
}

/** Checks that every lock exists and has the hash that the log records. */
export function compareLocks(log: RecordedLog, files: SessionFiles, findings: Findings): void {
  const locks = new EnvironmentLocks(files.paths);
  const environments = log.of("environment").filter(({ payload }) => payload.key !== null);
  for (const logged of environments) {
    const { key, lock: expected } = logged.payload;
    const lock = key === null ? null : locks.load(key);
    const seen = lock === null ? absent : sha256(lock);
    if (seen !== expected)
      findings.differ({
        what: "lock of an environment",
        where: lineOfLog(logged, "lock"),
        expected: expected ?? absent,
        seen,
      });
  }
  if (environments.length > 0) findings.compared.push("the locks of the environments: their hashes");
}

export interface AgainIn {
  readonly recheckHands: RecheckHands;
  readonly source: Source;
  readonly base: CommitId;
  readonly clerk: Pick<Clerk, "list" | "blob" | "content">;
  readonly environments: EnvironmentsOnRecord;
  readonly signal: AbortSignal;
}

/** Makes the checks use an environment as it was, from its lock. */
export async function useAgain(past: PastEnvironment | null, again: AgainIn): Promise<void> {
  const { recheckHands, environments } = again;
  const key = past?.key ?? null;
  const lock = key === null ? null : environments.lockOf(key);
  if (past === null || key === null || lock === null) return await recheckHands.useEnvironment(null);
  const { choice } = environments;
  await recheckHands.useEnvironment({ key, choice, lock, files: () => filesOf(past, again) });
}

function filesOf({ tree, files }: PastEnvironment, again: AgainIn) {
  const { source, base, environments, signal } = again;
  const named = namedIn(environments.choice);
  if (tree === null) return dependencyFiles(new CommitFiles(source, base, signal), named);
  return files === null
    ? dependencyFiles(filesOfTree(treeId(tree), again), named)
    : recordedFiles(files, filled(again));
}

export function filesOfTree(tree: TreeId, again: Pick<AgainIn, "clerk" | "signal">): ClerkFiles {
  return new ClerkFiles(filled(again), tree);
}

function filled({ clerk, signal }: Pick<AgainIn, "clerk" | "signal">): ClerkParts {
  return { clerk, repository: async () => undefined, signal };
}
