import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { makePrivate } from "../../runner/app/doctor/private-home.js";
import { TilthError } from "../../runner/base/errors.js";
import { isUtf8 } from "../../runner/base/ids.js";
import type { Caps, ModelSettings, Sandbox, Settings } from "../../runner/base/settings.js";
import { shellWord } from "../../runner/source/git/shell-word.js";
import { endpointsOf, type Read } from "./endpoints.js";
import { given } from "./given.js";
import { buildEnvironmentOf, placesOf, proxiesOf, userHomeOf } from "./host-environment.js";
import { readHostFile } from "./host-file.js";
import { nearestName } from "./nearest-name.js";
import { givenIndexes, packageIndexes } from "./package-indexes.js";
import { readPrices } from "./prices-file.js";
import { type Setting, settingNamed, settings as table } from "./settings-table.js";

export type Origin = "environment" | "file" | "default" | "unset";

export interface SettingInForce {
  readonly name: string;
  readonly about: string;
  readonly secret: boolean;
  readonly value: string | null;
  readonly origin: Origin;
  /** the place to correct it, with the name it was given under */
  readonly place: string;
}

/** The person's settings as text, before they are parsed. */
export interface RawSettings {
  readonly home: string;
  readonly inForce: readonly SettingInForce[];
  /** names of ours in the file that have no meaning there */
  readonly unknown: readonly string[];
  /** addresses of package indexes, including any secrets in them */
  readonly indexes: readonly string[];
}

const knownNames = table.flatMap(({ name, aliases }) => [name, ...aliases]);

/** Reads the environment; nothing else may. */
export function readRawSettings(env: NodeJS.ProcessEnv = process.env): RawSettings {
  const home = homeOf(env);
  makePrivate(home, userHomeOf(env));
  const path = join(home, ".env");
  const places = { env, path, file: readEnvFile(path) };
  return {
    home,
    inForce: table.map((setting) => lookUp(setting, places)),
    unknown: Object.keys(places.file).filter((name) => name.startsWith("TILTH_") && !knownNames.includes(name)),
    indexes: givenIndexes(env).map(({ url }) => url),
  };
}

/** True if the terminal can only append to its content. */
export function isDumbTerminal(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.TERM === "dumb";
}

function homeOf(env: NodeJS.ProcessEnv): string {
  const wanted = resolve(given(env.TILTH_HOME) ?? join(userHomeOf(env), ".tilth"));
  const home = realPathOfNearest(wanted);
  if (isUtf8(home)) return home;
  const message = `TILTH_HOME '${home}' has a name in it that is not UTF-8`;
  throw new TilthError("usage", message, "set it to a folder whose path is UTF-8");
}

/** Resolves links in the part of a path that exists, and keeps the rest: the home may not have been made yet. */
function realPathOfNearest(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOfNearest(parent), path.slice(parent.length).replace(/^\/+/, ""));
  }
}

function readEnvFile(path: string): Readonly<Record<string, string | undefined>> {
  const text = readHostFile({ path, what: "the settings file", maxKb: 64, anew: writtenAnew(path) });
  return text === null ? {} : (parseEnv(text) as Record<string, string | undefined>);
}

/** The hint moves the old file away first, because `init` overwrites nothing. */
function writtenAnew(path: string): string {
  return `write it anew: mv ${shellWord(path)} ${shellWord(`${path}.old`)} && tilth init`;
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

/** Checks every value, whether or not an endpoint is set. */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return { ...checked(env).settings, endpoints: null };
}

/** For the verbs that talk to a model: TilthError `usage` naming everything that an endpoint lacks. */
export function loadModelSettings(env: NodeJS.ProcessEnv = process.env): ModelSettings {
  const { settings, read } = checked(env);
  return { ...settings, endpoints: endpointsOf(read) };
}

interface Checked {
  readonly settings: Omit<Settings, "endpoints">;
  readonly read: Read;
}

function checked(env: NodeJS.ProcessEnv): Checked {
  const { home, inForce, unknown } = readRawSettings(env);
  if (unknown[0] !== undefined) throw noSetting(unknown[0], join(home, ".env"));
  const meant = new Map(inForce.map((one) => [one.name, settingNamed(one.name).parse(one.value, one.place)]));
  const read = <T>(name: string): T => meant.get(name) as T;
  const settings: Checked["settings"] = {
    home,
    caps: capsOf(read),
    sandbox: sandboxOf(read),
    egress: { allowed: read("TILTH_ALLOW_HOSTS") ?? [], proxies: proxiesOf(env) },
    packages: { indexes: packageIndexes(env) },
    dependencies: read("TILTH_DEPENDENCIES"),
    buildFromSource: read("TILTH_BUILD_FROM_SOURCE") ?? [],
    contextFiles: read("TILTH_CONTEXT_FILES"),
    requestTimeoutSeconds: read("TILTH_REQUEST_TIMEOUT_SECONDS"),
    stream: read("TILTH_STREAM"),
    maxOutageMinutes: read("TILTH_MAX_OUTAGE_MINUTES"),
    toolTimeoutSeconds: read("TILTH_TOOL_TIMEOUT_SECONDS"),
    checkTimeoutSeconds: read("TILTH_CHECK_TIMEOUT_SECONDS"),
    counterCheckSeconds: read("TILTH_COUNTER_CHECK_SECONDS"),
    suite: { mode: read("TILTH_SUITE"), seconds: read("TILTH_SUITE_SECONDS") },
    maxDiffKb: read("TILTH_MAX_DIFF_KB"),
    contextTokens: read("TILTH_CONTEXT_TOKENS"),
    caBundle: given(env.SSL_CERT_FILE),
    dockerHost: given(env.DOCKER_HOST),
    host: placesOf(env),
    buildEnvironment: buildEnvironmentOf(env),
    prices: readPrices(home),
  };
  return { settings, read };
}

/** A cap that was spelt wrong would be no cap. */
function noSetting(name: string, path: string): TilthError {
  const near = nearestName(name, knownNames);
  const hint = near === null ? "remove that line" : `write ${near} there, or remove that line`;
  return new TilthError("usage", `${name} in ${path} is no setting that belongs there`, hint);
}

export interface RunFlags {
  readonly runtime?: string;
  readonly allowHost?: readonly string[];
  readonly waitForLimit?: boolean;
}

/** The flag's runtime replaces the one in the settings; its hosts are added to theirs. */
export function withFlags(
  settings: ModelSettings,
  { runtime, allowHost = [], waitForLimit = false }: RunFlags,
): ModelSettings {
  const { sandbox, egress } = settings;
  const named = allowHost.flatMap(
    (hosts) => settingNamed("TILTH_ALLOW_HOSTS").parse(hosts, "--allow-host") as string[],
  );
  return {
    ...settings,
    waitForLimit,
    sandbox: { ...sandbox, runtime: runtime || sandbox.runtime },
    egress: { ...egress, allowed: [...new Set([...egress.allowed, ...named])] },
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
