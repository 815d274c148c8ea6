import type { SessionId } from "../../base/ids.js";
import type { Settings } from "../../settings/settings.js";
import { containerIdentity } from "../ports/identity.js";
import { SandboxStarts } from "../roles/starts.js";
import { constantFiles } from "./container/constant-files.js";
import { Container, type StartOptions } from "./container/container.js";
import type { SpecContext } from "./container/container-spec.js";
import { ownerOf } from "./container/owner.js";
import type { Isolation } from "./container/proof.js";
import type { Engine } from "./engine/engine.js";
import type { DockerImage } from "./image/image-find.js";

const usualLeaseSeconds = 60;

export interface ContainersOf {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly session: SessionId;
  readonly image: DockerImage;
  readonly leaseSeconds?: number;
}

/** Returns the ingredients that all containers of a session share. */
export function specContext({ engine, settings, session, image, leaseSeconds }: ContainersOf): SpecContext {
  const identity = containerIdentity();
  return {
    session,
    owner: JSON.stringify(ownerOf(settings.home)),
    imageId: image.id,
    identity,
    sandbox: settings.sandbox,
    engineCpus: engine.facts.cpus,
    dialect: engine.facts.dialect,
    constants: constantFiles(settings.home, identity),
    leaseSeconds: leaseSeconds ?? usualLeaseSeconds,
  };
}

/** Returns the conditions that every container of a session must meet before use. `probe`: paths besides the home. */
export function isolationOf(
  { engine, settings, image }: Omit<ContainersOf, "session">,
  probe: readonly string[] = [],
): Isolation {
  return { imageEnv: Object.keys(image.env), probe: [...probe, settings.home], discarded: engine.facts.discarded };
}

type StartExtras = Pick<StartOptions, "name" | "onConnection" | "openTo">;
type PreparedStart = Pick<StartOptions, "context" | "isolation">;

/** Starts containers until it is ended. */
export class RoleStarts extends SandboxStarts<Container, StartExtras> {
  constructor(engine: Engine, made: PreparedStart, prepared: Promise<unknown>) {
    super((view, signal, more) => Container.start(engine, view, { ...made, signal, ...more }), prepared);
  }
}
