import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { IndexGateway } from "../../runner/egress/index/index-gateway.js";
import type { Container } from "../../runner/hands/docker/container/container.js";
import { makeVolume } from "../../runner/hands/docker/environment-volume.js";
import { isolationOf, RoleStarts, specContext } from "../../runner/hands/docker/role-starts.js";
import { perform } from "../../runner/hands/pipe/perform.js";
import { operations } from "../../runner/hands/pipe/wire/operations.js";
import { containerPaths } from "../../runner/hands/ports/container-paths.js";
import { oneLine } from "../../runner/text/sanitise.js";
import { BareContainer } from "../bare-container.js";
import type { Bench, Line, Reading } from "../line.js";
import { interleave, type Spread } from "../statistics.js";
import { newSessionId } from "../workshop.js";

/** Together with everything they need, these are the environment of a web service of some size. */
const wanted = [
  ...["aiohttp", "alembic", "attrs", "celery", "cryptography", "fastapi", "flask", "gunicorn", "httpx", "jinja2"],
  ...["numpy", "pydantic-settings", "pytest-asyncio", "pytest-cov", "pyyaml", "redis", "requests", "rich"],
  ...["sqlalchemy", "typer", "uvicorn", "werkzeug"],
];

const place = containerPaths.environment;
const scratch = [`${place}/site`, `${place}/cache`];
const cleared = ["rm", "-rf", ...scratch];
const bundle = "/ca-bundle.pem";
const longestMs = 10 * 60_000;

const uv = (index: string) => [
  ...[`${containerPaths.tools}/uv`, "pip", "install", "--python", `${containerPaths.tools}/python`],
  ...["--target", `${place}/site`, "--cache-dir", `${place}/cache`, "--link-mode", "hardlink"],
  ...["--only-binary", ":all:", "--no-config", "--no-progress", "--default-index", index, ...wanted],
];

export const install: Line = {
  name: "install",
  async measure(bench) {
    await using bare = await startBare(bench);
    const direct = ["env", ...environmentOf(bench), ...uv(indexOf(bench))];
    const first = await bare.run(direct);
    if (first.exit !== 0) return [reading(null, {}, `not measured: ${oneLine(first.said, 300)}`)];
    await using channel = await Channel.open(bench);
    const of = await interleave(
      {
        "through the channel": () => channel.install(),
        "with the host's network": async () => {
          await bare.time(cleared);
          return bare.time(direct);
        },
      },
      bench.times(8),
      1,
    );
    const value = of["through the channel"].median / of["with the host's network"].median;
    const count = /Installed (\d+) packages/.exec(first.said)?.[1];
    return [reading(value, of, `${count} packages, ${Math.round(channel.megabytes)} MB with the pages of the index`)];
  },
};

function reading(value: number | null, of: Readonly<Record<string, Spread>>, note: string): Reading {
  const what = "uv installs an environment, no cache, p50: through the channel / the engine's host network";
  return { what, unit: "ratio", value, bound: 1.5, of, note };
}

function indexOf({ settings }: Bench): string {
  const [main] = settings.packages.indexes;
  if (main === undefined) throw new Error("no package index is configured");
  return main;
}

/** The variables that a container on the host's network needs, where the host needs them itself. */
function environmentOf({ settings }: Bench): readonly string[] {
  const { https, http, none } = settings.egress.proxies;
  return [
    ...(settings.caBundle === null ? [] : [`SSL_CERT_FILE=${bundle}`]),
    ...(https === null ? [] : [`HTTPS_PROXY=${https}`]),
    ...(http === null ? [] : [`HTTP_PROXY=${http}`]),
    `NO_PROXY=${none.join(",")}`,
  ];
}

async function startBare(bench: Bench): Promise<BareContainer> {
  const { settings } = bench;
  const copy = join(bench.folder, "ca-bundle.pem");
  if (settings.caBundle !== null) copyFileSync(settings.caBundle, copy);
  const Binds = settings.caBundle === null ? [] : [`${copy}:${bundle}:ro`];
  const environment = await newVolume(bench);
  return await BareContainer.start(
    bench,
    newSessionId(),
    { role: "build", environment },
    { NetworkMode: "host", Binds },
  );
}

function newVolume({ engine, settings, signal }: Bench): Promise<string> {
  return makeVolume({ engine, home: settings.home, signal }, "bench");
}

/** A build container, made as for an environment. */
class Channel implements AsyncDisposable {
  megabytes = 0;

  private constructor(
    private readonly bench: Bench,
    private readonly container: Container,
    private readonly port: number,
    private readonly way: { gateway: IndexGateway | null },
  ) {}

  static async open(bench: Bench): Promise<Channel> {
    const { engine, signal } = bench;
    const way: { gateway: IndexGateway | null } = { gateway: null };
    const environment = await newVolume(bench);
    const made = { context: specContext({ ...bench, session: newSessionId() }), isolation: isolationOf(bench) };
    const starts = new RoleStarts(engine, made, Promise.resolve());
    const onConnection = (connection: Parameters<IndexGateway["accept"]>[0]) => way.gateway?.accept(connection);
    const container = await starts.start({ role: "build", environment }, signal, { onConnection });
    const { port } = await perform(container, operations.listen, {}, { signal, timeoutMs: 10_000 });
    return new Channel(bench, container, port, way);
  }

  /** Opens a gateway of its own each time, as every environment has one. */
  async install(): Promise<number> {
    const { settings } = this.bench;
    const ca = settings.caBundle === null ? null : readFileSync(settings.caBundle, "utf8");
    const indexes = [{ url: indexOf(this.bench) }];
    await using gateway = new IndexGateway({ indexes, proxies: settings.egress.proxies, ca });
    this.way.gateway = gateway;
    await this.#run(cleared);
    const began = performance.now();
    await this.#run(uv(`http://127.0.0.1:${this.port}${gateway.paths[0]}`));
    const ms = performance.now() - began;
    this.megabytes = gateway.bytes / 1e6;
    return ms;
  }

  async #run(argv: readonly string[]): Promise<void> {
    const env = { PATH: "/usr/bin:/bin", HOME: containerPaths.home };
    const how = { output: "stream", stdin: false, disk_bytes: 1024 ** 4 } as const;
    const args = { argv, cwd: "/", env, timeout_ms: longestMs, ...how };
    const onData = () => undefined;
    const options = { signal: this.bench.signal, timeoutMs: longestMs, onData, mostBytes: 1024 ** 2 };
    const { exit, stderr } = await perform(this.container, operations.stream, args, options);
    if (exit !== 0) throw new Error(`${argv.slice(0, 3).join(" ")} ended with ${exit}: ${stderr}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.container[Symbol.asyncDispose]();
  }
}
