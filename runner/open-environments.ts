import { dependencyFiles } from "./environment/dependency-files.js";
import type { EnvironmentChoice } from "./environment/environment-key.js";
import { fillRepository } from "./fill-repository.js";
import type { Ground } from "./ground.js";
import type { Hands } from "./hands/hands.js";
import type { EventSink } from "./session/events.js";
import type { SessionFiles } from "./session/session-files.js";
import { SessionEnvironments } from "./session-environment.js";
import type { Settings } from "./settings.js";
import { CommitFiles, nearestTag } from "./source/commit-files.js";
import type { CommitId } from "./support/ids.js";
import { lazily } from "./support/lazily.js";

export interface EnvironmentsOf {
  readonly ground: Ground;
  readonly settings: Settings;
  readonly files: SessionFiles;
  readonly hands: Hands;
  readonly log: EventSink;
  readonly base: CommitId;
  /** of the session's branch */
  readonly tip: () => Promise<CommitId>;
  /** as the log has it; null: as the settings say now */
  readonly choice: EnvironmentChoice | null;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

export async function openEnvironments(of: EnvironmentsOf): Promise<SessionEnvironments> {
  const { ground, settings, hands, base, tip, signal } = of;
  const { source } = ground;
  const { dependencies, buildFromSource: fromSource } = settings;
  const chosen = of.choice ?? { dependencies, fromSource, version: null };
  const named = chosen.dependencies === "none" ? [] : chosen.dependencies;
  const baseFiles = lazily(() => dependencyFiles(new CommitFiles(source, base, signal), named));
  const isNew = of.choice === null && (await baseFiles()) !== null;
  const version = isNew ? await nearestTag(source, base, signal) : chosen.version;
  const repository = lazily(async () => fillRepository(hands.clerk, source, { base, tip: await tip(), signal }));
  return new SessionEnvironments({ ...of, ...ground, baseFiles, repository, choice: { ...chosen, version } });
}
