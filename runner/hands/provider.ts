import type { SessionId } from "../base/ids.js";
import type { Settings } from "../settings/settings.js";
import { DockerProvider } from "./docker/docker-provider.js";
import { examinations as ofEngine } from "./docker/examine-engine.js";
import type { Examination, HandsProvider } from "./ports/provider.js";

/** Connects to the provider that the settings name; a Docker engine is the only one so far. */
export function connectHands(settings: Settings, signal: AbortSignal): Promise<HandsProvider> {
  return DockerProvider.connect(settings, signal);
}

/** Returns looks at that provider in their order; `session` is nobody's, and marks what a look leaves when it is killed. */
export function examinations(settings: Settings, session: SessionId): readonly Examination[] {
  return ofEngine(settings, session);
}
