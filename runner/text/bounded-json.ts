import { z } from "zod";

const [quote, backslash] = [0x22, 0x5c];
const signs: ReadonlySet<number> = new Set([..."[{,"].map((sign) => sign.charCodeAt(0)));

/**
 * Parses bytes of JSON. Returns null for bytes that are no JSON and for more than `most` values: a few megabytes of
 * brackets are gigabytes once they are objects.
 */
export function boundedJson(bytes: Uint8Array, most: number): unknown {
  if (hasMoreValues(bytes, most)) return null;
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch {
    return null;
  }
}

/** Every value but the very first has one of these signs before it or before its key. */
function hasMoreValues(bytes: Uint8Array, most: number): boolean {
  let [seen, inString] = [0, false];
  for (let at = 0; at < bytes.length; at += 1) {
    const sign = bytes[at] ?? 0;
    if (sign === quote) inString = !inString;
    else if (inString) at += sign === backslash ? 1 : 0;
    else if (signs.has(sign)) seen += 1;
    if (seen > most) return true;
  }
  return false;
}

const itemsOfLists = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/** Returns the schema of the items of a `listOf`: its own type says nothing of them. */
export function itemsOf(list: z.core.$ZodType): z.core.$ZodType | undefined {
  return itemsOfLists.get(list);
}

/** Like `z.array`, but stops at the first wrong item: complaints about millions of items would fill the memory. */
export function listOf<T>(one: z.ZodType<T>): z.ZodType<T[]> {
  const list = z.array(z.unknown()).transform((all, context): T[] => {
    const found: T[] = [];
    for (const [at, each] of all.entries()) {
      const parsed = one.safeParse(each);
      if (!parsed.success) {
        context.addIssue({ code: "custom", path: [at], message: "is not one of these" });
        return z.NEVER;
      }
      found.push(parsed.data);
    }
    return found;
  });
  itemsOfLists.set(list, one);
  return list;
}
