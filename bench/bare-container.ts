import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import { Readable } from "node:stream";
import type Docker from "dockerode";
import type { SessionId } from "../runner/base/ids.js";
import { constantFiles } from "../runner/hands/docker/container/constant-files.js";
import { removeAndSeeGone } from "../runner/hands/docker/container/container.js";
import { containerSpec } from "../runner/hands/docker/container/container-spec.js";
import { ownerOf } from "../runner/hands/docker/container/owner.js";
import { EngineDemux } from "../runner/hands/docker/engine/engine-demux.js";
import { containerPaths } from "../runner/hands/ports/container-paths.js";
import { containerIdentity } from "../runner/hands/ports/identity.js";
import type { RoleView } from "../runner/hands/ports/sandbox.js";
import type { Bench } from "./line.js";

/**
 * Runs the command in each line of its input and answers with how long it took. The clock runs in the container, beside
 * the command.
 */
const program = `
import json, subprocess, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    began = time.perf_counter()
    ended = subprocess.run(asked["argv"], cwd=asked["cwd"], stdin=subprocess.DEVNULL, capture_output=True)
    ms = (time.perf_counter() - began) * 1000
    said = (ended.stdout + ended.stderr)[-2000:].decode("utf-8", "replace")
    print(json.dumps({"ms": ms, "exit": ended.returncode, "said": said}), flush=True)
`;

interface CommandEnd {
  readonly ms: number;
  readonly exit: number;
  readonly said: string;
}

/** The same image under the same spec, without the resident: measures the cost of the container by itself. */
export class BareContainer implements AsyncDisposable {
  private constructor(
    private readonly bench: Bench,
    readonly container: Docker.Container,
    private readonly stream: Duplex,
    private readonly answers: AsyncIterator<string>,
  ) {}

  static async start(
    bench: Bench,
    session: SessionId,
    view: RoleView,
    host: Docker.HostConfig = {},
  ): Promise<BareContainer> {
    const { engine, settings, image } = bench;
    const identity = containerIdentity();
    const spec = containerSpec(view, {
      session,
      owner: JSON.stringify(ownerOf(settings.home)),
      imageId: image.id,
      identity,
      sandbox: settings.sandbox,
      engineCpus: engine.facts.cpus,
      dialect: engine.facts.dialect,
      constants: constantFiles(settings.home, identity),
      leaseSeconds: 60,
    });
    const container = await engine.docker.createContainer({
      ...spec,
      HostConfig: { ...spec.HostConfig, ...host },
      Entrypoint: [containerPaths.python, "-c", program],
      Cmd: [],
      name: `tilth-${session}-bare-${randomBytes(4).toString("hex")}`,
    });
    const attached = await container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true });
    await container.start();
    const stream = attached as Duplex;
    const lines = createInterface({ input: Readable.from(standardOutput(stream)) });
    return new BareContainer(bench, container, stream, lines[Symbol.asyncIterator]());
  }

  /** Milliseconds. A command that fails throws, because it measures nothing. */
  async time(argv: readonly string[]): Promise<number> {
    const { ms, exit, said } = await this.run(argv);
    if (exit !== 0) throw new Error(`${argv.join(" ")} ended with ${exit}: ${said}`);
    return ms;
  }

  async run(argv: readonly string[]): Promise<CommandEnd> {
    this.stream.write(`${JSON.stringify({ argv, cwd: containerPaths.workspace })}\n`);
    const answer = await this.answers.next();
    if (answer.done) throw new Error(`the bare container went away during ${argv.join(" ")}`);
    return JSON.parse(answer.value) as CommandEnd;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stream.destroy();
    await removeAndSeeGone(this.bench.engine, this.container.id);
  }
}

async function* standardOutput(stream: Duplex): AsyncGenerator<Buffer> {
  const demux = new EngineDemux();
  for await (const chunk of stream) yield* demux.read(chunk as Buffer);
}
