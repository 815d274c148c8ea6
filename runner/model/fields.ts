export type Fields = Readonly<Record<string, unknown>>;

/** Of anything but an object there are none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
