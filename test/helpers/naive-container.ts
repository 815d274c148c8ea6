import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import type Docker from "dockerode";
import { EngineDemux } from "../../runner/hands/docker/engine/engine-demux.js";
import { type Channel, openChannel } from "../../runner/hands/pipe/channel.js";
import { perform } from "../../runner/hands/pipe/perform.js";
import { operations } from "../../runner/hands/pipe/wire/operations.js";
import type { DockerWorld } from "./docker-world.js";

/** A container without the golden spec: the engine's defaults, and the session's folder mounted whole. */
export class NaiveContainer implements AsyncDisposable {
  private constructor(
    private readonly container: Docker.Container,
    readonly channel: Channel,
  ) {}

  static async start({ engine, hands, settings, session }: DockerWorld): Promise<NaiveContainer> {
    const container = await engine.docker.createContainer({
      name: `tilth-naive-${randomBytes(4).toString("hex")}`,
      Image: hands.image.id,
      User: "0:0",
      Env: ["API_KEY=secret"],
      OpenStdin: true,
      HostConfig: {
        // some engines have no bridge
        NetworkMode: "host",
        SecurityOpt: ["seccomp=unconfined"],
        Binds: [
          `${settings.home}/sessions/${session}:/session`,
          `${settings.home}/sessions/${session}/workspace:/workspace`,
        ],
      },
    });
    try {
      const stream = await container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true });
      await container.start();
      const { signal } = new AbortController();
      const options = { signal, timeoutMs: 20_000, heartbeatMs: 5_000, outputs: new EngineDemux() };
      return new NaiveContainer(container, await openChannel(stream as Duplex, options));
    } catch (error) {
      await container.remove({ force: true });
      throw error;
    }
  }

  async bash(command: string): Promise<string> {
    const chunks: Uint8Array[] = [];
    const argv = ["/bin/bash", "-c", command];
    const env = { PATH: "/opt/tilth/venv/bin:/usr/bin:/bin" };
    const how = { output: "merged", head: 16_384, tail: 16_384, stdin: false, disk_bytes: 0 } as const;
    const args = { argv, env, cwd: "/workspace", timeout_ms: 20_000, ...how };
    const onData = (chunk: Uint8Array) => void chunks.push(chunk);
    const options = { signal: new AbortController().signal, timeoutMs: 30_000, onData };
    await perform(this.channel, operations.exec, args, options);
    return Buffer.concat(chunks).toString("utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel[Symbol.asyncDispose]();
    await this.container.remove({ force: true });
  }
}
