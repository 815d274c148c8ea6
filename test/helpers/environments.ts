import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import Docker from "dockerode";
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
  /** the name in the wheel's metadata, where it is another than that of its file */
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
  /** what bash runs in the same container afterwards */
  readonly after?: string | undefined;
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
  /** what verify says afterwards, where there is an environment */
  verified: z.object({ digest: z.string(), differs: z.array(z.string()) }).nullable(),
  /** the paths that the index was asked for by the program, and by what ran afterwards */
  asked: z.array(z.string()),
  asked_afterwards: z.array(z.string()),
  errors: z.string(),
  seconds: z.number(),
});

export type Ran = z.infer<typeof ran>;

/** Runs the program of the image once for each job, all in one container that has no network but an index of its own. */
export async function environments(packages: readonly Package[], jobs: readonly Job[]): Promise<Ran[]> {
  const docker = new Docker();
  const volume = `tilth-environment-test-${randomBytes(6).toString("hex")}`;
  await docker.createVolume({ Name: volume });
  const container = await docker.createContainer(spec((await realImage()).id, volume));
  try {
    const stream = await container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true });
    const output = new PassThrough();
    const errors = new PassThrough();
    docker.modem.demuxStream(stream, output, errors);
    stream.on("end", () => void [output, errors].map((one) => one.end()));
    const read = Promise.all([buffer(output), buffer(errors)]);
    await container.start();
    stream.end(JSON.stringify({ packages, jobs }));
    const [said, complained] = await read;
    if (said.length === 0) throw new Error(complained.toString("utf8"));
    return z.array(ran).parse(JSON.parse(said.toString("utf8")));
  } finally {
    await container.remove({ force: true });
    await docker.getVolume(volume).remove({ force: true });
  }
}

export async function environment(packages: readonly Package[], job: Job): Promise<Ran> {
  const [only] = await environments(packages, [job]);
  if (!only) throw new Error("the job did not run");
  return only;
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
