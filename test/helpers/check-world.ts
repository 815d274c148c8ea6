import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import Docker from "dockerode";
import { type TreeId, treeId } from "../../runner/base/ids.js";
import { EngineDemux } from "../../runner/hands/docker/engine/engine-demux.js";
import { type Channel, ChannelClosed, openChannel } from "../../runner/hands/pipe/channel.js";
import { perform } from "../../runner/hands/pipe/perform.js";
import { operations } from "../../runner/hands/pipe/wire/operations.js";
import type { CheckRequest } from "../../runner/hands/ports/checks/checks.js";
import type { StagedTest } from "../../runner/hands/ports/checks/staged.js";
import type { Change } from "../../runner/hands/ports/clerk.js";
import { containerPaths } from "../../runner/hands/ports/container-paths.js";
import { HandsLost } from "../../runner/hands/ports/hands.js";
import type { CallOptions } from "../../runner/hands/ports/sandbox.js";
import type { CheckSandbox } from "../../runner/hands/roles/check/containers/zygote.js";
import { workEnv } from "../../runner/hands/roles/work/work-env.js";
import { checkImage } from "./check-image.js";
import { FakeClerk } from "./fake-clerk.js";
import { git, gitLine } from "./fake-git.js";

export type Files = Readonly<Record<string, string | Uint8Array | Link | null>>;

interface Link {
  readonly target: string;
}

export function link(target: string): Link {
  return { target };
}

const user = 10001;
export const env = { PATH: "/opt/tilth/venv/bin:/usr/bin:/bin", HOME: "/home/tilth", LANG: "C.UTF-8" };
export const never = new AbortController().signal;

const naiveRuns = `import os
import sys

import pytest

exits = []
for number in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        os.chdir(str(number))
        sys.path[0] = os.getcwd()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        os._exit(pytest.main(["-q", "tests"]))
    _, status = os.waitpid(child, 0)
    exits.append(os.waitstatus_to_exitcode(status))
print("exits:", *exits)
`;

/** Trees in a repository of their own, and check containers that see it. */
export class CheckWorld implements AsyncDisposable {
  started = 0;
  private trees = 0;
  #shared: TestContainer | null = null;

  private constructor(
    private readonly image: string,
    private readonly folder: string,
    private readonly environment: string | null,
  ) {}

  /** `environment`: the folder that is mounted as the environment */
  static async open(environment: string | null = null): Promise<CheckWorld> {
    const folder = mkdtempSync(join(tmpdir(), "tilth-check-"));
    chmodSync(folder, 0o755);
    await git(["init", "--quiet", "--bare", folder]);
    return new CheckWorld(await checkImage(), folder, environment);
  }

  /** Makes a tree of `below` with `files` over it; null takes a file away. */
  async tree(files: Files, below: Files = {}): Promise<TreeId> {
    this.trees += 1;
    const parts: Uint8Array[] = [Buffer.from(`commit refs/heads/t${this.trees}\ncommitter t <t@t> 0 +0000\ndata 0\n`)];
    for (const [path, content] of Object.entries({ ...below, ...files })) {
      if (content === null) continue;
      const isLink = typeof content === "object" && "target" in content;
      const bytes = Buffer.from(isLink ? content.target : content);
      const mode = isLink ? "120000" : "100644";
      parts.push(Buffer.from(`M ${mode} inline ${path}\ndata ${bytes.length}\n`), bytes, Buffer.from("\n"));
    }
    parts.push(Buffer.from('ls ""\n'));
    const said = await gitLine(["--git-dir", this.folder, "fast-import", "--quiet"], { input: Buffer.concat(parts) });
    return treeId(said.split(/\s/)[2] ?? said);
  }

  readonly start = async (): Promise<TestContainer> => {
    this.started += 1;
    return TestContainer.start(this.image, this.binds());
  };

  /** Gives one container for many checks, for tests that do not need a new one. */
  readonly share = async (): Promise<CheckSandbox> => {
    if (!this.#shared || this.#shared.isLost) this.#shared = await this.start();
    const shared = this.#shared;
    return {
      get isLost() {
        return shared.isLost;
      },
      call: (op, args, options) =>
        op === "zygote" ? shared.zygoteOnce(args, options) : shared.call(op, args, options),
      [Symbol.asyncDispose]: async () => undefined,
    };
  };

  /** Judges as a naive harness would: by the exit status of a command over the tree. */
  async naively(tree: TreeId, argv: readonly string[]): Promise<{ exit: number; output: string; ms: number }> {
    const container = await this.share();
    await perform(container, operations.fresh, { tree }, { signal: never, timeoutMs: 60_000 });
    const chunks: Uint8Array[] = [];
    const { exit, ms } = await perform(
      container,
      operations.exec,
      {
        argv,
        cwd: "/workspace",
        env: { ...this.env, PYTHONPATH: "/workspace" },
        timeout_ms: 60_000,
        output: "merged",
        head: 8192,
        tail: 8192,
        stdin: false,
        disk_bytes: 0,
      },
      { signal: never, timeoutMs: 90_000, onData: (chunk) => void chunks.push(chunk) },
    );
    return { exit: Number(exit), output: Buffer.concat(chunks).toString("utf8"), ms };
  }

  /**
   * The exit status of pytest over each of these, each in a folder and a process of its own, forked after pytest is
   * loaded.
   */
  async naivelyEach(cases: readonly Files[]): Promise<readonly number[]> {
    const placed = cases.flatMap((files, at) =>
      Object.entries(files).map(([path, content]): [string, Files[string]] => [`${at}/${path}`, content ?? null]),
    );
    const { output } = await this.naively(await this.tree(Object.fromEntries(placed)), [
      ...["python", "-c", naiveRuns, String(cases.length)],
    ]);
    return /exits: ([\d ]*)$/.exec(output.trimEnd())?.[1]?.split(" ").map(Number) ?? [];
  }

  mixed(tree: TreeId, other: TreeId, paths: readonly string[]): Promise<TreeId> {
    return new FakeClerk(this.folder, this.folder).mixed(tree, other, paths);
  }

  async changes(from: TreeId, to: TreeId): Promise<readonly Change[]> {
    return new FakeClerk(this.folder, this.folder).changes(from, to);
  }

  get hasEnvironment(): boolean {
    return this.environment !== null;
  }

  /** the environment variables of whatever runs in its checks */
  get env(): Readonly<Record<string, string>> {
    return this.environment === null ? env : workEnv(env, true);
  }

  private binds(): string[] {
    const { environment } = this;
    return [
      `${this.folder}:/repo:ro`,
      ...(environment === null ? [] : [`${environment}:${containerPaths.environment}:ro`]),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shared?.[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A request in which everything that a row does not care about is filled in. */
export function requestOf(
  given: { tree: TreeId; last: TreeId; staged: readonly StagedTest[] } & Partial<CheckRequest>,
): CheckRequest {
  return {
    allStaged: given.staged,
    facts: [],
    ranRed: [],
    opened: [],
    since: { base: given.last, taskTexts: [] },
    added: [],
    changed: [],
    taskText: "",
    timeoutMs: 60_000,
    ...given,
  };
}

class TestContainer implements CheckSandbox {
  isLost = false;
  #zygote: Promise<Record<string, unknown>> | null = null;

  private constructor(
    private readonly container: Docker.Container,
    private readonly channel: Channel,
  ) {
    void channel.closed.then(() => {
      this.isLost = true;
    });
  }

  static async start(image: string, binds: string[]): Promise<TestContainer> {
    const container = await new Docker().createContainer(spec(image, binds));
    const stream = await container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true });
    await container.start();
    const options = { signal: never, timeoutMs: 20_000, heartbeatMs: 5_000, outputs: new EngineDemux() };
    return new TestContainer(container, await openChannel(stream as Duplex, options));
  }

  async call(op: string, args: Readonly<Record<string, unknown>>, options: CallOptions) {
    try {
      return await this.channel.call(op, args, options);
    } catch (error) {
      throw error instanceof ChannelClosed
        ? new HandsLost("check", error.message, { cause: error, asleep: error.asleep })
        : error;
    }
  }

  zygoteOnce(args: Readonly<Record<string, unknown>>, options: CallOptions) {
    this.#zygote ??= this.call("zygote", args, options);
    return this.#zygote;
  }

  kill(): Promise<void> {
    return this.container.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel[Symbol.asyncDispose]();
    await this.container.remove({ force: true }).catch(() => undefined);
  }
}

function spec(image: string, Binds: string[]): Docker.ContainerCreateOptions {
  const tmpfs = `rw,exec,nosuid,nodev,size=134217728,uid=${user},gid=${user},mode=0755`;
  return {
    name: `tilth-check-test-${randomBytes(6).toString("hex")}`,
    Image: image,
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
      SecurityOpt: ["no-new-privileges"],
      PidsLimit: 256,
      Memory: 512 * 1024 * 1024,
      IpcMode: "private",
      Tmpfs: { "/tmp": tmpfs, "/home/tilth": tmpfs, "/workspace": tmpfs },
      Binds,
      LogConfig: { Type: "none", Config: {} },
    },
  };
}
