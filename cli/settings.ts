import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { TilthError } from "../runner/errors.js";
import type { Caps, HostPlaces, Sandbox, Settings } from "../runner/settings.js";
import { endpointsOf, type Read } from "./endpoints.js";
import { type Setting, settingNamed, settings as table } from "./settings-table.js";

export type Origin = "environment" | "file" | "default" | "unset";

export interface SettingInForce {
  readonly name: string;
  readonly about: string;
  readonly secret: boolean;
  readonly value: string | null;
  readonly origin: Origin;
  /** where to correct it, by the name it was given under */
  readonly place: string;
}

/** What the person set, before it means anything. */
export interface RawSettings {
  readonly home: string;
  readonly inForce: readonly SettingInForce[];
}

const envFileLimit = 64 * 1024;

/** The one place where the environment is read. */
export function readRawSettings(env: NodeJS.ProcessEnv = process.env): RawSettings {
  const home = homeOf(env);
  const path = join(home, ".env");
  const places = { env, path, file: readEnvFile(path) };
  return { home, inForce: table.map((setting) => lookUp(setting, places)) };
}

function homeOf(env: NodeJS.ProcessEnv): string {
  const wanted = resolve(given(env.TILTH_HOME) ?? join(userHomeOf(env), ".tilth"));
  return realPathOfNearest(wanted);
}

/** The real path of what exists of it, the rest as it stands: links in front of a home that is not made yet count too. */
function realPathOfNearest(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOfNearest(parent), path.slice(parent.length).replace(/^\/+/, ""));
  }
}

function userHomeOf(env: NodeJS.ProcessEnv): string {
  return given(env.HOME) ?? homedir() ?? userInfo().homedir;
}

function given(text: string | undefined): string | null {
  const trimmed = text?.trim();
  return trimmed ? trimmed : null;
}

function readEnvFile(path: string): Readonly<Record<string, string | undefined>> {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new TilthError(
      "usage",
      `cannot read the settings file ${path}`,
      `make it readable: chmod 600 ${path}`,
      error,
    );
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > envFileLimit)
      throw new TilthError("usage", `${path} is not a plain file of at most 64 KB`, "write it anew: tilth init");
    return parseEnv(readFileSync(fd, "utf8")) as Record<string, string | undefined>;
  } finally {
    closeSync(fd);
  }
}

interface Places {
  readonly env: NodeJS.ProcessEnv;
  readonly file: Readonly<Record<string, string | undefined>>;
  readonly path: string;
}

function lookUp(setting: Setting, { env, file, path }: Places): SettingInForce {
  const { name, about, secret, fallback } = setting;
  for (const spelling of [name, ...setting.aliases]) {
    const fromEnv = given(env[spelling]);
    const fromFile = given(file[spelling]);
    if (fromEnv !== null)
      return { name, about, secret, value: fromEnv, origin: "environment", place: `${spelling} in the environment` };
    if (fromFile !== null)
      return { name, about, secret, value: fromFile, origin: "file", place: `${spelling} in ${path}` };
  }
  return { name, about, secret, value: fallback, origin: fallback === null ? "unset" : "default", place: name };
}

/** Every value checked; `needsEndpoint` for the verbs that talk to a model. */
export function loadSettings(needsEndpoint: boolean, env: NodeJS.ProcessEnv = process.env): Settings {
  const raw = readRawSettings(env);
  const meant = new Map(raw.inForce.map((one) => [one.name, settingNamed(one.name).parse(one.value, one.place)]));
  const read = <T>(name: string): T => meant.get(name) as T;
  return {
    home: raw.home,
    endpoints: needsEndpoint ? endpointsOf(read) : null,
    caps: capsOf(read),
    sandbox: sandboxOf(read),
    contextFiles: read("TILTH_CONTEXT_FILES"),
    requestTimeoutSeconds: read("TILTH_REQUEST_TIMEOUT_SECONDS"),
    maxOutageMinutes: read("TILTH_MAX_OUTAGE_MINUTES"),
    toolTimeoutSeconds: read("TILTH_TOOL_TIMEOUT_SECONDS"),
    checkTimeoutSeconds: read("TILTH_CHECK_TIMEOUT_SECONDS"),
    maxDiffKb: read("TILTH_MAX_DIFF_KB"),
    caBundle: given(env.SSL_CERT_FILE),
    dockerHost: given(env.DOCKER_HOST),
    host: placesOf(env),
    buildEnvironment: buildEnvironmentOf(env),
  };
}

function capsOf(read: Read): Caps {
  return {
    maxIterationsPerTask: read("TILTH_MAX_ITERATIONS_PER_TASK"),
    maxWallClockMinutes: read("TILTH_MAX_WALL_CLOCK_MINUTES"),
    maxTokens: read("TILTH_MAX_TOKENS"),
    maxCostUsd: read("TILTH_MAX_COST_USD"),
    maxEvaluatorCallsPerTask: read("TILTH_MAX_EVALUATOR_CALLS_PER_TASK"),
  };
}

function sandboxOf(read: Read): Sandbox {
  return {
    image: read("TILTH_SANDBOX_IMAGE"),
    baseImage: read("TILTH_BASE_IMAGE"),
    runtime: read("TILTH_SANDBOX_RUNTIME"),
    memoryBytes: read("TILTH_SANDBOX_MEMORY"),
    cpus: read("TILTH_SANDBOX_CPUS"),
    pids: read("TILTH_SANDBOX_PIDS"),
    diskBytes: read("TILTH_SANDBOX_DISK"),
  };
}

function placesOf(env: NodeJS.ProcessEnv): HostPlaces {
  const userHome = userHomeOf(env);
  return {
    userHome,
    path: env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    xdgConfigHome: given(env.XDG_CONFIG_HOME),
    dockerConfigDir: given(env.DOCKER_CONFIG) ?? join(userHome, ".docker"),
    dockerContext: given(env.DOCKER_CONTEXT),
    cacheDir: join(given(env.XDG_CACHE_HOME) ?? join(userHome, ".cache"), "tilth"),
  };
}

const handedOn = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "PIP_INDEX_URL"];

function buildEnvironmentOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(handedOn.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** The home as a folder of the person's own; made when the first thing is put there. */
export function ensureHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new TilthError(
      "usage",
      `cannot make the folder ${home}`,
      "set TILTH_HOME to a folder you may write to",
      error,
    );
  }
}
