/** More than any tool's arguments need; a model can nest brackets until a recursive reader runs out of stack. */
const maxDepth = 64;

/** Copies a value with every text in it masked, field names included; parts nested too deep are replaced by a note. */
export function maskDeep(value: unknown, mask: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return `(left out: nested deeper than ${maxDepth} levels)`;
  if (Array.isArray(value)) return value.map((one) => maskDeep(one, mask, depth + 1));
  // undefined means absent, as in JSON
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(fields.map(([name, one]) => [mask(name), maskDeep(one, mask, depth + 1)]));
}
