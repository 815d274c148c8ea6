import type { Clock } from "../../base/clock.js";
import type { CommitId, TreeId } from "../../base/ids.js";
import type { CheckMemory } from "../../checks/check-memory.js";
import type { SuiteSoFar } from "../../checks/suite/baseline.js";
import type { AskDeps } from "../../dialogue/ask.js";
import type { RuffRules } from "../../hands/ports/checks/ruff.js";
import type { Person } from "../../hands/ports/clerk.js";
import type { Hands } from "../../hands/ports/hands.js";
import type { ContextFile } from "../../memory/context-files.js";
import type { Fence } from "../../memory/fence.js";
import type { EventLog } from "../../session/log/event-log.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { Prd } from "../../session/state/prd.js";
import type { Settings } from "../../settings/settings.js";
import type { Registry } from "../../tools/tool/registry.js";
import type { WorkerContext } from "../../tools/worker/worker-context.js";
import type { Branch } from "./branch.js";
import type { CapMet } from "./caps.js";
import type { Environments } from "./environments.js";
import type { SeedTests } from "./seed-tests.js";
import type { Workbench } from "./workbench.js";

/** The parts a run of a session works with; made in one place, `session-run.ts`. */
export interface RunContext extends AskDeps {
  readonly settings: Settings;
  readonly files: SessionFiles;
  /** the tasks with the statuses that branch and log give them, whatever prd.json says */
  plan(): Prd;
  readonly events: EventLog;
  readonly hands: Hands;
  /** the worker's */
  readonly tools: Registry<WorkerContext>;
  readonly workbench: Workbench;
  readonly branch: Branch;
  readonly clock: Clock;
  readonly author: Person;
  readonly seedTests: SeedTests;
  readonly environments: Environments;
  /** the project's own tests, according to the log */
  readonly suite: SuiteSoFar;
  /** settles once the clerk's repository has everything the branch has */
  repository(): Promise<void>;
  /** tree of the session's base commit */
  baseTree(): Promise<TreeId>;
  /** how to call ruff in the environment in use */
  ruffRules(): Promise<RuffRules>;
  /** marks text of others in the prompts of this run */
  readonly fence: Fence;
  contextFiles(at: CommitId): Promise<readonly ContextFile[]>;
  readonly checkMemory: CheckMemory;
  /** files that staged tests were seen to read, over all red checks of the session */
  readonly opened: Set<string>;
  /** asked between tasks, and between the calls of one reply */
  capMet(): CapMet | null;
  /** updates summary.json and the checkpoint's sums from the log */
  summarise(): void;
}
