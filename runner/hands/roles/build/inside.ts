import { TilthError } from "../../../base/errors.js";
import { GrowingBytes } from "../../../base/growing-bytes.js";
import { boundedJson } from "../../../text/bounded-json.js";
import { perform } from "../../pipe/perform.js";
import { type BuildOrder, type TalkResult, verified } from "../../pipe/wire/environment.js";
import { operations } from "../../pipe/wire/operations.js";
import { containerPaths } from "../../ports/container-paths.js";
import type { EnvironmentSpec, IndexAccess } from "../../ports/environment.js";
import type { Sandbox } from "../../ports/sandbox.js";
import { EnvironmentTalk } from "./environment-talk.js";

/** The ingredients of a build, and who hears of it. */
export interface Building {
  readonly spec: EnvironmentSpec;
  readonly index: IndexAccess;
  readonly diskBytes: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const buildMs = 60 * 60_000;
const graceMs = 30_000;
const startMs = 30_000;
const mostSaidBytes = 64 * 1024 * 1024;
const quietEnv = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: containerPaths.home, TMPDIR: "/tmp", LANG: "C.UTF-8" };

/** Builds into the environment that the sandbox has mounted; `wheels` only makes those of packages built from source. */
export async function buildInside(
  sandbox: Sandbox,
  building: Building,
  verb: "build" | "wheels",
  wheels: BuildOrder["wheels"] = {},
): Promise<TalkResult> {
  const { signal } = building;
  const { port } = await perform(sandbox, operations.listen, {}, { signal, timeoutMs: startMs });
  return await run(sandbox, building, verb, orderOf(building, port, wheels));
}

function orderOf({ spec, index }: Building, port: number, wheels: BuildOrder["wheels"]): BuildOrder {
  const [main = "", ...others] = index.paths.map((path) => `http://127.0.0.1:${port}${path}`);
  return {
    files: Object.fromEntries([...spec.files].map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")])),
    named: spec.named,
    from_source: spec.fromSource,
    version: spec.version,
    index_url: main,
    extra_index_urls: others,
    lock: spec.lock,
    prefer: spec.prefer,
    wheels,
  };
}

async function run(
  sandbox: Sandbox,
  { say, signal, diskBytes }: Building,
  verb: "build" | "wheels",
  order: BuildOrder,
): Promise<TalkResult> {
  const talk = new EnvironmentTalk(say);
  const reply = await perform(sandbox, operations.stream, commandOf(verb, buildMs, diskBytes), {
    signal,
    timeoutMs: buildMs + graceMs,
    input: Buffer.from(JSON.stringify(order)),
    onData: (chunk) => talk.take(chunk),
    mostBytes: mostSaidBytes,
  });
  const { stderr, timed_out, exit, signal: killed, full } = reply;
  if (full) return full.what === "share" ? tooLarge(diskBytes) : tooFull;
  if (timed_out) return { ok: false, kind: "failed", problem: "it was not made within an hour", remedy: "try again" };
  return talk.result ?? brokenOff(stderr.trim().slice(-2_000) || `it ended with ${exit ?? killed}`);
}

const tooFull: TalkResult = {
  ok: false,
  kind: "failed",
  problem: "there is too little room left on the disk that environments are kept on",
  remedy: "make room on it: tilth image prune",
};

function tooLarge(bytes: number): TalkResult {
  return {
    ok: false,
    kind: "refused",
    problem: `What the packages hold takes more than ${Math.floor(bytes / 1024 ** 2)} MB on the disk, the most that an environment may take.`,
    remedy: "Leave out the package that is so large, or set TILTH_SANDBOX_DISK to more.",
  };
}

/** Lists how a mounted environment differs from what was made; it must be the same to the byte. */
export async function differencesIn(
  sandbox: Pick<Sandbox, "call">,
  digest: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const said = new GrowingBytes();
  const onData = (chunk: Uint8Array): void => said.add(chunk);
  const options = { signal, timeoutMs: verifyMs + graceMs, onData, mostBytes: mostVerifiedBytes };
  await perform(sandbox, operations.stream, commandOf("verify", verifyMs, 0), options);
  const seen = verified.safeParse(boundedJson(said.take(), mostVerifiedBytes));
  if (!seen.success) return ["it cannot be read"];
  return seen.data.digest === digest ? seen.data.differs : ["tilth.json", ...seen.data.differs];
}

const verifyMs = 5 * 60_000;
/** at most ten paths are named */
const mostVerifiedBytes = 1024 ** 2;

function commandOf(verb: "build" | "wheels" | "verify", timeoutMs: number, diskBytes: number) {
  return {
    argv: [`${containerPaths.tools}/python`, "-I", "/opt/tilth/environment/__main__.py", verb],
    cwd: "/",
    env: quietEnv,
    timeout_ms: timeoutMs,
    output: "stream" as const,
    stdin: verb !== "verify",
    disk_bytes: diskBytes,
  };
}

function brokenOff(why: string): never {
  throw new TilthError(
    "infra",
    `the environment could not be made: ${why}`,
    "try again; tilth doctor looks at what containers run on",
  );
}
