import { oneLine } from "../text/sanitise.js";

/** A value in OTLP/JSON: integers are decimal text. */
export type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };

/** Values by key; null means unknown and is left out. */
export type Attributes = Readonly<Record<string, AnyValue | null>>;

const maxLength = 500;
const mostTexts = 50;

export function text(value: string): AnyValue;
export function text(value: string | null | undefined): AnyValue | null;
export function text(value: string | null | undefined): AnyValue | null {
  return typeof value === "string" ? { stringValue: oneLine(value, maxLength) } : null;
}

export function texts(values: readonly string[]): AnyValue {
  return { arrayValue: { values: values.slice(0, mostTexts).map((value) => text(value)) } };
}

export function int(value: number): AnyValue {
  return { intValue: String(value) };
}

export function double(value: number): AnyValue;
export function double(value: number | null): AnyValue | null;
export function double(value: number | null): AnyValue | null {
  return value === null ? null : { doubleValue: value };
}

export function bool(value: boolean): AnyValue {
  return { boolValue: value };
}
