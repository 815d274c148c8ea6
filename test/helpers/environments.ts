import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import Docker from "dockerode";
import { afterAll } from "vitest";
import { z } from "zod";
import { realImage } from "./image.js";

const seccomp = readFileSync(new URL("../../images/hands/seccomp.json", import.meta.url), "utf8");
const driver = readFileSync(new URL("environment-driver.py", import.meta.url), "utf8");

/** A distribution of the index: a wheel that holds `files`, or with `sdist` the files of a source archive. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly requires?: readonly string[];
  readonly requires_python?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly modes?: Readonly<Record<string, number>>;
  readonly entry_points?: string;
  /** the name in the wheel's metadata, if it differs from that of its file */
  readonly calls_itself?: string;
  readonly wheel?: boolean;
  readonly sdist?: Readonly<Record<string, string>>;
}

export interface Job {
  readonly files?: Readonly<Record<string, string | { readonly base64: string }>> | undefined;
  readonly named?: readonly string[];
  readonly from_source?: readonly string[];
  readonly version?: string;
  readonly lock?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly port?: number;
  /** commands that bash runs in the same container afterwards */
  readonly after?: string | undefined;
  /** whether the result is compared with its manifest afterwards */
  readonly verify?: boolean;
}

const ran = z.object({
  said: z.array(z.string()),
  result: z.looseObject({
    ok: z.boolean().nullable(),
    none: z.boolean().optional(),
    kind: z.string().optional(),
    problem: z.string().optional(),
    remedy: z.string().optional(),
    lock: z.string().optional(),
    packages: z.number().optional(),
    taken: z.array(z.string()).optional(),
    said: z.array(z.string()).optional(),
    digest: z.string().optional(),
    python: z.string().optional(),
    pytest: z.string().optional(),
    project: z.object({ name: z.string(), version: z.string() }).nullable().optional(),
    names: z.array(z.tuple([z.string(), z.string()])).optional(),
  }),
  after: z.string(),
  /** the answer of verify, if it was asked for */
  verified: z.object({ digest: z.string(), differs: z.array(z.string()) }).nullable(),
  /** the paths that the program asked the index for, and those that the commands afterwards asked for */
  asked: z.array(z.string()),
  asked_afterwards: z.array(z.string()),
  errors: z.string(),
  seconds: z.number(),
});

export type Ran = z.infer<typeof ran>;

/** A container that the tests of a file share, without a network but with an index of its own for each of their calls. */
export async function sharedEnvironments() {
  const maker = await Maker.start();
  afterAll(() => maker[Symbol.asyncDispose]());
  /** Runs the program of the image once for each job. */
  const environments = (packages: readonly Package[], jobs: readonly Job[]) => maker.run(packages, jobs);
  const environment = async (packages: readonly Package[], job: Job) => {
    const [only] = await maker.run(packages, [job]);
    if (!only) throw new Error("the job did not run");
    return only;
  };
  return { environments, environment };
}

class Maker implements AsyncDisposable {
  private constructor(
    private readonly stdin: NodeJS.WritableStream,
    private readonly answers: AsyncIterator<string>,
    private readonly complained: () => string,
    private readonly remove: () => Promise<void>,
  ) {}

  static async start(): Promise<Maker> {
    const docker = new Docker();
    const volume = `tilth-environment-test-${randomBytes(6).toString("hex")}`;
    await docker.createVolume({ Name: volume });
    const container = await docker.createContainer(spec((await realImage()).id, volume));
    const stream = await container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true });
    const [output, errors] = [new PassThrough(), new PassThrough()];
    let complained = "";
    errors.setEncoding("utf8").on("data", (text: string) => {
      complained += text;
    });
    docker.modem.demuxStream(stream, output, errors);
    stream.on("end", () => void [output, errors].map((one) => one.end()));
    await container.start();
    const answers = createInterface({ input: output })[Symbol.asyncIterator]();
    return new Maker(
      stream,
      answers,
      () => complained,
      async () => {
        await container.remove({ force: true });
        await docker.getVolume(volume).remove({ force: true });
      },
    );
  }

  async run(packages: readonly Package[], jobs: readonly Job[]): Promise<Ran[]> {
    this.stdin.write(`${JSON.stringify({ packages, jobs })}\n`);
    const { done, value } = await this.answers.next();
    if (done) throw new Error(this.complained());
    return z.array(ran).parse(JSON.parse(value));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove();
  }
}

function spec(image: string, volume: string): Docker.ContainerCreateOptions {
  const tmpfs = "rw,exec,nosuid,nodev,size=268435456,mode=1777";
  return {
    Image: image,
    Entrypoint: ["/opt/tilth/venv/bin/python", "-c", driver],
    User: "10001:10001",
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: "none",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges", `seccomp=${seccomp}`],
      PidsLimit: 256,
      Memory: 1024 * 1024 * 1024,
      Tmpfs: { "/tmp": tmpfs, "/workspace": tmpfs },
      Mounts: [{ Type: "volume", Source: volume, Target: "/opt/tilth/env" }],
    },
  };
}
