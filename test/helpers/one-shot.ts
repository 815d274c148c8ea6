import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { loadSettings } from "../../cli/settings/settings.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import { realImage } from "./image.js";

interface Report {
  readonly passed: boolean;
  readonly problem: string | null;
  readonly checks: readonly {
    name: string;
    passed: boolean;
    reason: string | null;
    tests?: readonly { id: string; outcome: string }[];
  }[];
}

interface Checking {
  readonly prepare?: (source: string) => void;
  /** runs the check as one writes it first */
  readonly naive?: boolean;
  /** run in place of the check */
  readonly program?: readonly string[];
  /** TILTH_CHECK_TIMEOUT_SECONDS */
  readonly seconds?: number;
}

interface OneShot {
  readonly exit: number;
  readonly said: string;
  readonly report: Report;
  readonly tookMs: number;
}

const naiveCheck = fileURLToPath(new URL("naive-oneshot.py", import.meta.url));
const ours = "/opt/tilth/oneshot/__main__.py";

/** Runs the container that compose makes of docker-compose.yml, asked of the engine directly, in the tests of a file. */
export function oneShotChecks() {
  let engine: Engine;
  let image: string;
  let folder: string;
  beforeAll(async () => {
    engine = await Engine.connect(loadSettings(), new AbortController().signal);
    image = (await realImage(engine)).id;
    folder = await mkdtemp(join(tmpdir(), "tilth-compose-"));
    await chmod(folder, 0o755);
  }, 600_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  return async (
    files: Readonly<Record<string, string>>,
    { prepare, naive = false, program = [naive ? "/naive.py" : ours], seconds = 180 }: Checking = {},
  ): Promise<OneShot> => {
    const source = await mkdtemp(join(folder, "repo-"));
    await chmod(source, 0o755);
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(source, name)), { recursive: true });
      await writeFile(join(source, name), content);
    }
    prepare?.(source);
    const began = performance.now();
    const container = await engine.docker.createContainer(specOf(image, source, program, seconds));
    try {
      const stream = await container.attach({ stream: true, stdout: true });
      await container.start();
      const said = await stdoutOf(stream);
      const { StatusCode } = await container.wait();
      return { exit: StatusCode, said, report: reportIn(said), tookMs: performance.now() - began };
    } finally {
      await container.remove({ force: true });
    }
  };
}

function specOf(image: string, source: string, program: readonly string[], seconds: number) {
  const tmpfs = "mode=1777,exec,nosuid,nodev,size=256m";
  return {
    Image: image,
    Entrypoint: ["/opt/tilth/python", "-I", ...program],
    Env: [`TILTH_CHECK_TIMEOUT_SECONDS=${seconds}`],
    User: "10001:10001",
    HostConfig: {
      NetworkMode: "none",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Tmpfs: { "/workspace": tmpfs, "/tmp": tmpfs, "/home/tilth": tmpfs },
      Mounts: [
        { Type: "bind" as const, Source: source, Target: "/source", ReadOnly: true },
        { Type: "bind" as const, Source: naiveCheck, Target: "/naive.py", ReadOnly: true },
      ],
    },
  };
}

/** The report in the output; a problem if the output holds something else. */
function reportIn(said: string): Report {
  try {
    return JSON.parse(said);
  } catch {
    return { passed: false, problem: `no report: ${said}`, checks: [] };
  }
}

/** Reads frames with a header of 8 bytes each; only stdout was asked for. */
async function stdoutOf(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  let said = "";
  for (let rest = Buffer.concat(chunks); rest.length >= 8; ) {
    const end = 8 + rest.readUInt32BE(4);
    said += rest.subarray(8, end).toString();
    rest = rest.subarray(end);
  }
  return said;
}
