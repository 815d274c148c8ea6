import type { z } from "zod";
import { TilthError } from "../base/errors.js";
import { oneLine } from "../text/sanitise.js";
import { url } from "./values.js";

/** One thing that a person may set. */
export interface Setting<Value = unknown> {
  readonly name: string;
  readonly about: string;
  /** other names, which count where its own is not set */
  readonly aliases: readonly string[];
  /** its value is shown to nobody */
  readonly secret: boolean;
  /** no model can be asked without it */
  readonly required: boolean;
  /** the default as a person would write it; null: none */
  readonly fallback: string | null;
  /** Null stands for no text, so that the default counts. A malformed text is a TilthError that names its place. */
  parse(text: string | null, place: string): Value;
}

/** Settings by the names under which the runner has their values. */
export interface Entries {
  readonly [name: string]: Setting | Entries;
}

/** The values of settings, by the same names. */
export type Values<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer Value> ? Value : Values<Table[Name]>;
};

interface Declaration<Parsed> extends Partial<Pick<Setting, "aliases" | "secret" | "required">> {
  readonly is: z.ZodType<Parsed, string>;
}

/** Declares a setting that always has a value: without a text its default. */
export function setting<Parsed>(
  name: string,
  about: string,
  declaration: Declaration<Parsed> & { readonly fallback: string },
): Setting<Parsed>;
/** Declares a setting without a default: its value is `unset` where nobody gave a text. */
export function setting<Parsed, Unset = null>(
  name: string,
  about: string,
  declaration: Declaration<Parsed> & { readonly unset?: Unset },
): Setting<Parsed | Unset>;
export function setting(
  name: string,
  about: string,
  declaration: Declaration<unknown> & { readonly fallback?: string; readonly unset?: unknown },
): Setting {
  const { is, fallback = null, unset = null, aliases = [], secret = false, required = false } = declaration;
  const parse = (text: string | null, place: string) => {
    const written = text ?? fallback;
    if (written === null) return unset;
    const result = is.safeParse(written);
    if (result.success) return result.data;
    const why = result.error.issues[0]?.message ?? "is not valid";
    // an address may hold a password
    const shown = secret || is === url ? "" : ` (it is ${JSON.stringify(oneLine(written, 60))})`;
    throw new TilthError("usage", `${name} ${why}${shown}`, `correct ${place}`);
  };
  return { name, about, aliases, secret, required, fallback, parse };
}

/** Lists settings in the order in which they are declared, which is the order in which a person is shown them. */
export function listed(entries: Entries): readonly Setting[] {
  return Object.values(entries).flatMap((one) => (isSetting(one) ? [one] : listed(one)));
}

/** Reads every setting, in that order. */
export function valuesOf<Table extends Entries>(entries: Table, read: (setting: Setting) => unknown): Values<Table> {
  const values = Object.entries(entries).map(([name, one]) => [name, isSetting(one) ? read(one) : valuesOf(one, read)]);
  return Object.fromEntries(values) as Values<Table>;
}

/** The values where nobody sets anything. */
export function defaultsOf<Table extends Entries>(entries: Table): Values<Table> {
  return valuesOf(entries, ({ parse, name }) => parse(null, name));
}

function isSetting(one: Setting | Entries): one is Setting {
  return typeof one.parse === "function";
}
