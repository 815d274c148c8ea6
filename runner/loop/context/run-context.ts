import type { Clock } from "../../base/clock.js";
import type { CommitId, TreeId } from "../../base/ids.js";
import type { Settings } from "../../base/settings.js";
import type { CheckMemory } from "../../checks/check-memory.js";
import type { SuiteSoFar } from "../../checks/suite/baseline.js";
import type { AskDeps } from "../../dialogue/ask.js";
import type { RuffRules } from "../../hands/checks-port.js";
import type { Person } from "../../hands/clerk-port.js";
import type { Hands } from "../../hands/hands.js";
import type { ContextFile } from "../../memory/context-files.js";
import type { Fence } from "../../memory/fence.js";
import type { EventLog } from "../../session/event-log.js";
import type { Prd } from "../../session/prd.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { Branch } from "./branch.js";
import type { CapMet } from "./caps.js";
import type { Environments } from "./environments.js";
import type { SeedTests } from "./seed-tests.js";
import type { Workbench } from "./workbench.js";

/** What a run of a session works with; made in one place, `run-session.ts`. */
export interface RunContext extends AskDeps {
  readonly settings: Settings;
  readonly files: SessionFiles;
  /** the tasks, each as far along as the branch and the log say, whatever prd.json says of it */
  plan(): Prd;
  readonly events: EventLog;
  readonly hands: Hands;
  readonly workbench: Workbench;
  readonly branch: Branch;
  readonly clock: Clock;
  readonly author: Person;
  readonly seedTests: SeedTests;
  readonly environments: Environments;
  /** the project's own tests, as the log has them */
  readonly suite: SuiteSoFar;
  /** settles when the clerk's repository holds what the branch holds */
  repository(): Promise<void>;
  /** of the session's base commit */
  baseTree(): Promise<TreeId>;
  /** how ruff is called in the environment that is in use */
  ruffRules(): Promise<RuffRules>;
  /** for what others wrote, in the prompts of this run */
  readonly fence: Fence;
  contextFiles(at: CommitId): Promise<readonly ContextFile[]>;
  readonly checkMemory: CheckMemory;
  /** files that a staged test was seen to read, from all red checks of the session */
  readonly opened: Set<string>;
  /** looked at between tasks, and between the calls of one reply */
  capMet(): CapMet | null;
  /** rolls summary.json and the checkpoint's sums up from the log */
  summarise(): void;
}
