import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { makePrivate } from "../../runner/app/doctor/private-home.js";
import { TilthError } from "../../runner/base/errors.js";
import { isUtf8 } from "../../runner/base/ids.js";
import { type Entries, listed, type Values } from "../../runner/settings/setting.js";
import type { ModelSettings, Settings } from "../../runner/settings/settings.js";
import { settingsTable } from "../../runner/settings/table.js";
import { shellWord } from "../../runner/source/git/shell-word.js";
import { endpointsOf, requireEndpoint } from "./endpoints.js";
import { given } from "./given.js";
import { buildEnvironmentOf, placesOf, providerEnvironmentOf, proxiesOf, userHomeOf } from "./host-environment.js";
import { readHostFile } from "./host-file.js";
import { lookUp, namesIn, type SettingInForce, valuesIn } from "./in-force.js";
import { givenIndexes, packageIndexes } from "./package-indexes.js";
import { readPrices } from "./prices-file.js";

/** The person's settings as text, before they are parsed. */
export interface RawSettings {
  readonly home: string;
  readonly inForce: readonly SettingInForce[];
  /** names of ours in the file that have no meaning there */
  readonly unknown: readonly string[];
  /** addresses of package indexes, including any secrets in them */
  readonly indexes: readonly string[];
}

/** Reads the environment; nothing else may. */
export function readRawSettings(env: NodeJS.ProcessEnv = process.env, entries: Entries = settingsTable): RawSettings {
  const known = namesIn(entries);
  const home = homeOf(env);
  makePrivate(home, userHomeOf(env));
  const path = join(home, ".env");
  const places = { env, path, file: readEnvFile(path) };
  return {
    home,
    inForce: listed(entries).map((setting) => lookUp(setting, places)),
    unknown: Object.keys(places.file).filter((name) => name.startsWith("TILTH_") && !known.includes(name)),
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

/** Checks every value, whether or not an endpoint is set. */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return checked(env).settings;
}

/** For the verbs that talk to a model: TilthError `usage` naming everything that an endpoint lacks. */
export function loadModelSettings(env: NodeJS.ProcessEnv = process.env): ModelSettings {
  const { settings, endpoints, inForce } = checked(env);
  requireEndpoint(inForce);
  return { ...settings, endpoints: endpointsOf(endpoints) };
}

interface CheckedSettings {
  readonly settings: Settings;
  /** the endpoints' settings, of which some may be missing */
  readonly endpoints: Values<typeof settingsTable>["endpoints"];
  readonly inForce: readonly SettingInForce[];
}

function checked(env: NodeJS.ProcessEnv): CheckedSettings {
  const { home, inForce, unknown } = readRawSettings(env);
  if (unknown[0] !== undefined) throw noSetting(unknown[0], join(home, ".env"));
  const { endpoints, egress, ...values } = valuesIn(settingsTable, inForce);
  const settings: Settings = {
    ...values,
    home,
    endpoints: null,
    egress: { ...egress, proxies: proxiesOf(env) },
    packages: { indexes: packageIndexes(env) },
    caBundle: given(env.SSL_CERT_FILE),
    host: placesOf(env),
    providerEnvironment: providerEnvironmentOf(env),
    buildEnvironment: buildEnvironmentOf(env),
    prices: readPrices(home),
  };
  return { settings, endpoints, inForce };
}

/** A cap that was spelt wrong would be no cap. */
function noSetting(name: string, path: string): TilthError {
  const near = nearestName(name, namesIn(settingsTable));
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
  const named = allowHost.flatMap((hosts) => settingsTable.egress.allowed.parse(hosts, "--allow-host"));
  return {
    ...settings,
    waitForLimit,
    sandbox: { ...sandbox, runtime: runtime || sandbox.runtime },
    egress: { ...egress, allowed: [...new Set([...egress.allowed, ...named])] },
  };
}

/** Returns the name that `typed` was probably meant to be; null if it resembles none. */
function nearestName(typed: string, names: readonly string[]): string | null {
  const [best] = names
    .map((name) => ({ name, distance: distance(typed, name) }))
    .sort((one, other) => one.distance - other.distance);
  return best !== undefined && best.distance <= typed.length / 4 ? best.name : null;
}

/** Counts the letters that have to be inserted, removed or changed. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (const [column, other] of [...to].entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[column], row[column + 1], row[column]];
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
