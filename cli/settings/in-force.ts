import { type Entries, listed, type Setting, type Values, valuesOf } from "../../runner/settings/setting.js";
import { given } from "./given.js";

export type Origin = "environment" | "file" | "default" | "unset";

/** A setting's value as text, before it is parsed. */
export interface SettingInForce {
  readonly setting: Setting;
  readonly value: string | null;
  readonly origin: Origin;
  /** the place to correct it, with the name it was given under */
  readonly place: string;
}

/** The environment, and the settings file at `path`. */
export interface Places {
  readonly env: NodeJS.ProcessEnv;
  readonly file: Readonly<Record<string, string | undefined>>;
  readonly path: string;
}

export function lookUp(setting: Setting, { env, file, path }: Places): SettingInForce {
  for (const spelling of [setting.name, ...setting.aliases]) {
    const fromEnv = given(env[spelling]);
    const fromFile = given(file[spelling]);
    if (fromEnv !== null)
      return { setting, value: fromEnv, origin: "environment", place: `${spelling} in the environment` };
    if (fromFile !== null) return { setting, value: fromFile, origin: "file", place: `${spelling} in ${path}` };
  }
  const { name, fallback } = setting;
  return { setting, value: fallback, origin: fallback === null ? "unset" : "default", place: name };
}

/** Checks and parses every value. */
export function valuesIn<Table extends Entries>(entries: Table, inForce: readonly SettingInForce[]): Values<Table> {
  const byName = new Map(inForce.map((one) => [one.setting.name, one]));
  return valuesOf(entries, ({ name, parse }) => {
    const { value = null, place = name } = byName.get(name) ?? {};
    return parse(value, place);
  });
}

export function namesIn(entries: Entries): readonly string[] {
  return listed(entries).flatMap(({ name, aliases }) => [name, ...aliases]);
}
