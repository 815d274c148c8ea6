import type { CommitId } from "../../base/ids.js";
import { lazily } from "../../base/lazily.js";
import { type DependencyFiles, dependencyFiles } from "../../environment/dependency-files.js";
import { type EnvironmentChoice, namedIn } from "../../environment/environment-key.js";
import { SessionEnvironments } from "../../environment/session-environment.js";
import type { Hands } from "../../hands/ports/hands.js";
import type { EventSink } from "../../session/log/events.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { Settings } from "../../settings/settings.js";
import { CommitFiles, nearestTag } from "../../source/git/commit-files.js";
import type { Basis } from "./basis.js";
import { fillRepository } from "./fill-repository.js";

export interface EnvironmentsOf {
  readonly basis: Basis;
  readonly settings: Settings;
  readonly files: SessionFiles;
  readonly hands: Hands;
  readonly log: EventSink;
  readonly base: CommitId;
  /** tip of the session's branch */
  readonly tip: () => Promise<CommitId>;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** For a session that is being created: the settings of now choose the environment. */
export async function newEnvironments(of: EnvironmentsOf): Promise<SessionEnvironments> {
  const { basis, base, signal } = of;
  const choice = chosenNow(of);
  const version = choice.dependencies === "none" ? null : await nearestTag(basis.source, base, signal);
  const files = lazily(() => filesOf(of, choice));
  return opened(of, { ...choice, version }, files);
}

/** For an existing session: its log says how the environment was chosen; null if the log has no record of it. */
export function knownEnvironments(of: EnvironmentsOf, recorded: EnvironmentChoice | null): SessionEnvironments {
  const choice = recorded ?? chosenNow(of);
  const files = lazily(() => filesOf(of, choice));
  return opened(of, choice, files);
}

function opened(
  of: EnvironmentsOf,
  choice: EnvironmentChoice,
  baseFiles: () => Promise<DependencyFiles>,
): SessionEnvironments {
  const { basis, hands, base, tip, signal } = of;
  const repository = lazily(async () => fillRepository(hands.clerk, basis.source, { base, tip: await tip(), signal }));
  const { image, provider } = basis;
  return new SessionEnvironments({ ...of, image, kept: provider.environments, baseFiles, repository, choice });
}

function chosenNow({ settings: { dependencies, buildFromSource: fromSource } }: EnvironmentsOf): EnvironmentChoice {
  return { dependencies, fromSource, version: null };
}

function filesOf({ basis, base, signal }: EnvironmentsOf, choice: EnvironmentChoice): Promise<DependencyFiles> {
  return dependencyFiles(new CommitFiles(basis.source, base, signal), namedIn(choice));
}
