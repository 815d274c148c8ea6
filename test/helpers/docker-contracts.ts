import { rmSync } from "node:fs";
import type { SessionId } from "../../runner/base/ids.js";
import { Container } from "../../runner/hands/docker/container/container.js";
import { labels, repoVolumeOf } from "../../runner/hands/docker/container/labels.js";
import { ownerOf } from "../../runner/hands/docker/container/owner.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import { isolationOf, RoleStarts, specContext } from "../../runner/hands/docker/role-starts.js";
import type { Sandbox } from "../../runner/hands/ports/sandbox.js";
import { usualOrigin } from "../../runner/hands/provider.js";
import { withOwnHome } from "./contracts/opened.js";
import type { ProviderWorld } from "./contracts/provider-contract.js";
import type { SandboxWorld } from "./contracts/sandbox-contract.js";
import { DockerWorld } from "./docker-world.js";
import { realImage } from "./image.js";

const { signal } = new AbortController();

/** Work containers over one worktree. */
export async function containers(): Promise<SandboxWorld> {
  const world = await DockerWorld.open();
  const { engine, settings, session, worktree } = world;
  const of = { engine, settings, session, image: await realImage(engine) };
  const starts = new RoleStarts(engine, { context: specContext(of), isolation: isolationOf(of) }, Promise.resolve());
  return {
    start: (more) => starts.start({ role: "work", worktree }, signal, more),
    kill: async (sandbox: Sandbox) => {
      if (!(sandbox instanceof Container)) throw new Error("another sandbox than those of an engine");
      await engine.docker.getContainer(sandbox.id).kill();
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

/** The engine of this machine as a provider, seen from beside it. */
export async function dockerProvider(): Promise<ProviderWorld> {
  const settings = withOwnHome();
  const engine = await Engine.connect(settings, signal);
  const { id: image } = await realImage(engine);
  const listed = (session: SessionId) =>
    engine.docker.listContainers({ all: true, filters: { label: [`${labels.session}=${session}`] } });
  return {
    origin: usualOrigin,
    settings,
    sandboxes: async (session) => (await listed(session)).length,
    leaveBehind: async (session) => {
      const owner = JSON.stringify({ ...ownerOf(settings.home), started: "1" });
      const Labels = { [labels.session]: session, [labels.owner]: owner };
      await engine.docker.createVolume({ Name: repoVolumeOf(session), Labels });
      const HostConfig = { NetworkMode: "none" };
      const left = { Image: image, Entrypoint: ["/bin/sleep", "600"], Labels, HostConfig };
      await (await engine.docker.createContainer(left)).start();
    },
    keepsRepository: async (session) => {
      const { Volumes: volumes } = await engine.docker.listVolumes();
      return volumes.some(({ Name }) => Name === repoVolumeOf(session));
    },
    [Symbol.asyncDispose]: async () => rmSync(settings.home, { recursive: true, force: true }),
  };
}
