export type Fields = Readonly<Record<string, unknown>>;

/** Anything but an object has none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** Whatever a field is that holds null, it says no more than one that is not there. */
export function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
