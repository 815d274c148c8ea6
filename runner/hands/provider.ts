import { DockerProvider } from "./docker/docker-provider.js";
import { examinations } from "./docker/examine-engine.js";
import type { HandsOrigin } from "./ports/provider.js";

/** Where hands come from unless a caller says otherwise; a Docker engine is the only such place so far. */
export const usualOrigin: HandsOrigin = { connect: DockerProvider.connect, examinations };
