import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import Docker from "dockerode";
import { EngineDemux } from "../../runner/hands/docker/engine/engine-demux.js";
import { type Channel, openChannel } from "../../runner/hands/pipe/channel.js";
import type { OnConnection } from "../../runner/hands/pipe/container-streams.js";
import type { CallOptions } from "../../runner/hands/ports/sandbox.js";
import { realImage } from "./image.js";

export const python = "/opt/tilth/python";
const seccomp = readFileSync(new URL("../../images/hands/seccomp.json", import.meta.url), "utf8");
const usual = 10001;
/** Stands for the arguments that a test does not care about: the resident must be given all of an operation's. */
const leftOut: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  exec: { output: "merged", head: 16_384, tail: 16_384, stdin: false, disk_bytes: 0 },
  read: { offset: null, limit: null, withhold: null },
  write: { lint: null },
  edit: { lint: null },
  glob: { skip: [], withhold: null },
  grep: { path_glob: null, skip: [], withhold: null },
  reset: { commit: null },
  zygote_call: { head: 16_384, tail: 16_384 },
};

export interface Exec {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timed_out: boolean;
  readonly killed: readonly string[];
  readonly omitted: number;
  readonly ms: number;
  readonly text: string;
}

export interface ResidentContainerOptions {
  readonly lease?: number;
  readonly heartbeatMs?: number;
  readonly binds?: readonly string[];
  readonly pids?: number;
  readonly onConnection?: OnConnection;
  /** the number of files that the workspace's disk can hold */
  readonly files?: number;
  /** runs without a seccomp profile, as on an engine that applies another */
  readonly open?: boolean;
  /** a user of its own, for tests that use up what the kernel allows a user */
  readonly user?: number;
}

/** A container like ours in everything that matters to the resident; its /workspace is a tmpfs. */
export class ResidentContainer implements AsyncDisposable {
  private constructor(
    readonly channel: Channel,
    readonly container: Docker.Container,
    readonly stream: Duplex,
  ) {}

  static async start(options: ResidentContainerOptions = {}): Promise<ResidentContainer> {
    const docker = new Docker();
    const container = await docker.createContainer(spec((await realImage()).id, options));
    const stream = await container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true });
    await container.start();
    const channel = await openChannel(stream as Duplex, {
      signal: new AbortController().signal,
      timeoutMs: 20_000,
      heartbeatMs: options.heartbeatMs ?? 5_000,
      outputs: new EngineDemux(),
      onConnection: options.onConnection,
    });
    return new ResidentContainer(channel, container, stream as Duplex);
  }

  async call(op: string, args: Record<string, unknown>, more: Partial<CallOptions> = {}) {
    const chunks: Uint8Array[] = [];
    const options = { signal: new AbortController().signal, timeoutMs: 60_000, ...more };
    const onData = (chunk: Uint8Array) => void chunks.push(chunk);
    const result = await this.channel.call(op, { ...leftOut[op], ...args }, { onData, ...options });
    return { ...result, data: Buffer.concat(chunks) } as Record<string, unknown> & { data: Buffer };
  }

  async bash(command: string, args: Record<string, unknown> = {}, more: Partial<CallOptions> = {}): Promise<Exec> {
    const result = await this.call("exec", { ...bashArgs(command), ...args }, more);
    return { ...(result as unknown as Exec), text: result.data.toString("utf8") };
  }

  /** Gives the sentence of a refusal. */
  async refused(op: string, args: Record<string, unknown>, more: Partial<CallOptions> = {}): Promise<string> {
    return await this.call(op, args, more).then(
      (result) => `not refused: ${JSON.stringify(result)}`,
      (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
    );
  }

  /** Lists every process of the container but the resident, as the engine sees them from outside. */
  async alive(): Promise<string[]> {
    const { Processes } = await this.container.top({ ps_args: "-eo pid,args" });
    return Processes.map((line: string[]) => line[1] ?? "").filter(
      (args: string) => !args.includes("resident/__main__.py"),
    );
  }

  /** Waits until that many processes of the container run this command. */
  async runs(command: string, times = 1): Promise<void> {
    while ((await this.alive()).filter((args) => args === command).length < times);
  }

  /** Waits until the workspace has such a file. */
  async has(path: string): Promise<void> {
    while (/no such file/.test(await this.refused("read", { path, max_bytes: 1 }))) await pause(20);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel[Symbol.asyncDispose]();
    await this.container.remove({ force: true }).catch(() => {});
  }
}

export function bashArgs(command: string): Record<string, unknown> {
  const env = { PATH: "/opt/tilth/venv/bin:/usr/bin:/bin", HOME: "/home/tilth", LANG: "C.UTF-8" };
  const argv = ["/bin/bash", "-c", command];
  return { argv, cwd: "/workspace", env, timeout_ms: 30_000 };
}

function spec(
  image: string,
  { lease = 60, binds = [], pids = 256, files, open = false, user = usual }: ResidentContainerOptions,
): Docker.ContainerCreateOptions {
  const tmpfs = (mode: string) => `rw,exec,nosuid,nodev,size=67108864,uid=${user},gid=${user},mode=${mode}`;
  const inodes = files === undefined ? "" : `,nr_inodes=${files}`;
  return {
    name: `tilth-resident-test-${randomBytes(6).toString("hex")}`,
    Image: image,
    Entrypoint: [python, "-I", "-S", "/opt/tilth/resident/__main__.pyc"],
    Cmd: ["--lease-seconds", String(lease)],
    User: `${user}:${user}`,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      AutoRemove: true,
      NetworkMode: "none",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges", `seccomp=${open ? "unconfined" : seccomp}`],
      PidsLimit: pids,
      Memory: 1024 * 1024 * 1024,
      IpcMode: "private",
      Ulimits: [{ Name: "nofile", Soft: 8192, Hard: 8192 }],
      Tmpfs: { "/tmp": tmpfs("1777"), "/home/tilth": tmpfs("0700"), "/workspace": `${tmpfs("0755")}${inodes}` },
      Binds: [...binds],
      LogConfig: { Type: "none", Config: {} },
    },
  };
}
