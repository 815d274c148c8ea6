import { dirname } from "node:path";
import type { Settings } from "../../settings/settings.js";
import type { Hands } from "../ports/hands.js";
import type { SessionOfHands } from "../ports/provider.js";
import { type HandsExtras, SandboxedHands } from "../roles/all/sandboxed-hands.js";
import { startedAhead } from "./checks-ahead.js";
import { ownName } from "./container/container.js";
import type { SpecContext } from "./container/container-spec.js";
import { labels, repoVolumeOf } from "./container/labels.js";
import type { Engine } from "./engine/engine.js";
import type { DockerImage } from "./image/image-find.js";
import { removeOwnContainers, removeSessionVolume } from "./reap.js";
import { isolationOf, RoleStarts, specContext } from "./role-starts.js";

export interface HandsOptions extends SessionOfHands, HandsExtras {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly image: DockerImage;
}

/** Opens hands on a Docker engine. No container is started before it is needed; the repository volume is made here. */
export function openHands(options: HandsOptions): Hands {
  const { engine, settings, session, worktree, image, cleared } = options;
  const context = specContext(options);
  const folder = dirname(worktree);
  const made = { context, isolation: isolationOf(options, [folder, dirname(folder)]) };
  const starts = new RoleStarts(engine, made, Promise.all([makeVolume(options, context), cleared]));
  const of = { session, home: settings.home };
  const sandboxes = {
    starts,
    startAhead: (view: Parameters<typeof ownName>[0], signal: AbortSignal) =>
      startedAhead({
        cores: engine.facts.cpus,
        start: (name) => starts.start(view, signal, { name }),
        ownName: () => ownName(view, context),
      }),
    imageEnv: image.env,
    diskBytes: settings.sandbox.diskBytes,
    removalOf: (environment: string) => `docker volume rm ${environment}`,
    sweep: () => removeOwnContainers(engine, of, new AbortController().signal),
    forget: () => removeSessionVolume(engine, of, new AbortController().signal),
  };
  return new SandboxedHands(options, sandboxes, options);
}

function makeVolume({ engine, session, signal }: HandsOptions, { owner }: SpecContext): Promise<unknown> {
  const Labels = { [labels.session]: session, [labels.owner]: owner };
  return engine.must("make the repository volume", signal, (docker) =>
    docker.createVolume({ Name: repoVolumeOf(session), Labels }),
  );
}
