import type { Duplex } from "node:stream";
import { z } from "zod";
import { TilthError } from "../base/errors.js";
import { GrowingBytes } from "../disk/growing-bytes.js";
import { boundedJson } from "../text/bounded-json.js";
import { againAfterSleep } from "./after-sleep.js";
import type { Container } from "./container.js";
import { containerPaths } from "./container-paths.js";
import type { EnvironmentAnswer, EnvironmentSpec } from "./environment-port.js";
import { answerOf, EnvironmentTalk, type Made, type Said } from "./environment-talk.js";
import { makeVolume, removeVolume } from "./environment-volume.js";
import { type ContainersOf, isolationOf, RoleStarts, specContext } from "./role-starts.js";
import { listenReply, streamReply } from "./runner-replies.js";
import { NotIsolated, type Receipt } from "./work-port.js";

/** The package index as the container reaches it. */
export interface IndexAccess {
  accept(connection: Duplex): void;
  /** the paths of its indexes on that one host, the main one first */
  readonly paths: readonly string[];
}

export interface BuildOrder extends ContainersOf {
  readonly key: string;
  readonly spec: EnvironmentSpec;
  readonly index: IndexAccess;
  readonly say: (line: string) => void;
  /** gets the container's receipt of isolation, passed or not */
  readonly onReceipt: (receipt: Receipt) => void;
  readonly signal: AbortSignal;
}

const buildMs = 60 * 60_000;
const graceMs = 30_000;
const startMs = 30_000;
const mostSaidBytes = 64 * 1024 * 1024;
const quietEnv = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: containerPaths.home, TMPDIR: "/tmp", LANG: "C.UTF-8" };

/**
 * Makes an environment in a container that sees the dependency files and the package index, and nothing else. Packages
 * to be built from source are built in a container before it, of which only the wheels are kept.
 */
export async function buildEnvironment(order: BuildOrder): Promise<EnvironmentAnswer> {
  return await againAfterSleep(() => madeOnce(order));
}

async function madeOnce(order: BuildOrder): Promise<EnvironmentAnswer> {
  const { spec } = order;
  if (spec.fromSource.length === 0) return await install(order, null);
  const said = await inVolume(order, async (volume) => ({
    kept: false,
    value: await inContainer(order, volume, "wheels"),
  }));
  if (!said.ok) return answerOf(said, "", null);
  return await install({ ...order, spec: { ...spec, lock: said.lock || null } }, said);
}

async function install(order: BuildOrder, before: Made | null): Promise<EnvironmentAnswer> {
  return await inVolume(order, async (volume) => {
    const said = await inContainer(order, volume, "build", before?.wheels);
    const value = answerOf(said, volume, before);
    return { kept: value.kind === "built", value };
  });
}

type Kept<T> = { readonly kept: boolean; readonly value: T };

async function inVolume<T>(order: BuildOrder, use: (volume: string) => Promise<Kept<T>>): Promise<T> {
  const { engine, settings, signal, key } = order;
  const volumes = { engine, home: settings.home, signal };
  const volume = await makeVolume(volumes, key);
  let keep = false;
  try {
    const { kept, value } = await use(volume);
    keep = kept;
    return value;
  } finally {
    if (!keep) await removeVolume({ ...volumes, signal: new AbortController().signal }, volume);
  }
}

async function inContainer(
  order: BuildOrder,
  volume: string,
  verb: "build" | "wheels",
  wheels: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const { signal } = order;
  await using container = await startBuild(order, volume);
  order.onReceipt(container.receipt);
  const { port } = listenReply.parse(await container.call("listen", {}, { signal, timeoutMs: startMs }));
  return await run(container, order, verb, { ...inputOf(order, port), wheels });
}

async function startBuild(order: BuildOrder, environment: string): Promise<Container> {
  const { engine, index, signal } = order;
  const made = { context: specContext(order), isolation: isolationOf(order) };
  const onConnection = (connection: Duplex) => index.accept(connection);
  const more = { onConnection, openTo: ["the package index"] };
  try {
    return await new RoleStarts(engine, made, Promise.resolve()).start({ role: "build", environment }, signal, more);
  } catch (error) {
    if (error instanceof NotIsolated) order.onReceipt(error.receipt);
    throw error;
  }
}

function inputOf({ spec, index }: BuildOrder, port: number): Readonly<Record<string, unknown>> {
  const [main, ...others] = index.paths.map((path) => `http://127.0.0.1:${port}${path}`);
  return {
    files: Object.fromEntries([...spec.files].map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")])),
    named: spec.named,
    from_source: spec.fromSource,
    version: spec.version,
    index_url: main,
    extra_index_urls: others,
    lock: spec.lock,
    prefer: spec.prefer,
  };
}

async function run(
  container: Container,
  { say, signal, settings: { sandbox } }: BuildOrder,
  verb: "build" | "wheels",
  input: object,
): Promise<Said> {
  const talk = new EnvironmentTalk(say);
  const reply = await container.call("exec", commandOf(verb, buildMs, sandbox.diskBytes), {
    signal,
    timeoutMs: buildMs + graceMs,
    input: Buffer.from(JSON.stringify(input)),
    onData: (chunk) => talk.take(chunk),
    mostBytes: mostSaidBytes,
  });
  const { stderr, timed_out, exit, signal: killed, full } = execEnd.parse(reply);
  if (full) return full.what === "share" ? tooLarge(sandbox.diskBytes) : tooFull;
  if (timed_out) return { ok: false, kind: "failed", problem: "it was not made within an hour", remedy: "try again" };
  return talk.result ?? brokenOff(stderr.trim().slice(-2_000) || `it ended with ${exit ?? killed}`);
}

const tooFull: Said = {
  ok: false,
  kind: "failed",
  problem: "there is too little room left on the engine's disk",
  remedy: "make room on it: tilth image prune",
};

function tooLarge(bytes: number): Said {
  return {
    ok: false,
    kind: "refused",
    problem: `What the packages hold takes more than ${Math.floor(bytes / 1024 ** 2)} MB on the disk, the most that an environment may take.`,
    remedy: "Leave out the package that is so large, or set TILTH_SANDBOX_DISK to more.",
  };
}

const execEnd = streamReply.extend({ full: z.object({ what: z.string() }).nullish() });

/** Lists how a mounted environment differs from what was made; it must be the same to the byte. */
export async function differencesIn(
  container: { call: Container["call"] },
  digest: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const said = new GrowingBytes();
  const onData = (chunk: Uint8Array): void => said.add(chunk);
  const options = { signal, timeoutMs: verifyMs + graceMs, onData, mostBytes: mostVerifiedBytes };
  await container.call("exec", commandOf("verify", verifyMs, 0), options);
  const seen = verified.safeParse(boundedJson(said.take(), mostVerifiedBytes));
  if (!seen.success) return ["it cannot be read"];
  return seen.data.digest === digest ? seen.data.differs : ["tilth.json", ...seen.data.differs];
}

const verifyMs = 5 * 60_000;
/** at most ten paths are named */
const mostVerifiedBytes = 1024 ** 2;
const verified = z.object({ digest: z.string().nullable(), differs: z.array(z.string()) });

function commandOf(verb: "build" | "wheels" | "verify", timeoutMs: number, diskBytes: number): Record<string, unknown> {
  return {
    argv: [`${containerPaths.tools}/python`, "-I", "/opt/tilth/environment.py", verb],
    cwd: "/",
    env: quietEnv,
    timeout_ms: timeoutMs,
    output: "split",
    stdin: verb !== "verify",
    ...(diskBytes > 0 ? { disk_bytes: diskBytes } : {}),
  };
}

function brokenOff(why: string): never {
  throw new TilthError(
    "infra",
    `the environment could not be made: ${why}`,
    "try again; tilth doctor looks at the engine",
  );
}
