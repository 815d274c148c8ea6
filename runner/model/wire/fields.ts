export type Fields = Readonly<Record<string, unknown>>;

/** Returns no fields for anything but an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** Drops fields that hold null: they say no more than missing ones. */
export function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
