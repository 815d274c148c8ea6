import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import type { Endpoint } from "../../settings/endpoints.js";
import { limitNames } from "../faults/allowance.js";
import { type KnownLimit, type KnownLimits, OwnLimits } from "../faults/limits.js";
import { HomeMemory } from "./remembered-file.js";

const moment = z.int().nonnegative();
const amount = z.number().nonnegative();
const allowanceSchema = z.strictObject({
  name: z.string(),
  left: amount,
  most: amount.nullable(),
  until_ms: moment,
});
const limitSchema = z.strictObject({
  key: z.string().describe("a hash of address, model and key"),
  at_ms: moment,
  refused_until_ms: moment.nullable(),
  allowances: z.array(allowanceSchema).max(limitNames.size),
});
const fileSchema = z.strictObject({ v: z.literal(1), limits: z.array(limitSchema) });
type File = z.infer<typeof fileSchema>;
type Entry = z.infer<typeof limitSchema>;

/**
 * `limits.json` of the home: how much providers still allow, where that is little, shared by all sessions with the same
 * key. When two processes write at once, the later one wins. At worst one entry is lost, and one request is refused
 * that could have waited. If the file cannot be read or written, each process goes by what it knows itself.
 */
export class LimitsFile implements KnownLimits {
  readonly #memory: HomeMemory<File, Entry>;
  readonly #own = new OwnLimits();
  readonly #keys = new WeakMap<Endpoint, string>();

  constructor(home: string) {
    this.#memory = new HomeMemory(join(home, "limits.json"), {
      schema: fileSchema,
      entries: ({ limits }) => limits,
      file: (entries): File => ({ v: 1, limits: entries }),
    });
  }

  of(endpoint: Endpoint): KnownLimit | null {
    const key = this.#keyOf(endpoint);
    const entry = this.#memory.entries().find((one) => one.key === key);
    const own = this.#own.of(endpoint);
    if (entry === undefined || (own !== null && own.atMs > entry.at_ms)) return own;
    return limitOf(entry);
  }

  keep(endpoint: Endpoint, limit: KnownLimit): void {
    this.#own.keep(endpoint, limit);
    const key = this.#keyOf(endpoint);
    this.#memory.keep(entryOf(key, limit), (one) => one.key !== key && endOf(one) > limit.atMs);
  }

  /** Looked up with each request, so it is hashed once. */
  #keyOf(endpoint: Endpoint): string {
    const known = this.#keys.get(endpoint);
    if (known !== undefined) return known;
    const key = hashOf(endpoint);
    this.#keys.set(endpoint, key);
    return key;
  }
}

/** Providers limit each model separately, so the key includes the model. */
function hashOf({ baseUrl, model, apiKey }: Endpoint): string {
  return createHash("sha256")
    .update(JSON.stringify([baseUrl, model, apiKey]))
    .digest("hex");
}

function endOf({ refused_until_ms, allowances }: Entry): number {
  return Math.max(refused_until_ms ?? 0, ...allowances.map(({ until_ms }) => until_ms));
}

function entryOf(key: string, { atMs, refusedUntilMs, allowances }: KnownLimit): Entry {
  return {
    key,
    at_ms: atMs,
    refused_until_ms: refusedUntilMs,
    allowances: allowances.map(({ untilMs, ...rest }) => ({ ...rest, until_ms: untilMs })),
  };
}

function limitOf({ at_ms, refused_until_ms, allowances }: Entry): KnownLimit {
  return {
    atMs: at_ms,
    refusedUntilMs: refused_until_ms,
    allowances: allowances
      .filter(({ name }) => limitNames.has(name))
      .map(({ until_ms, ...rest }) => ({ ...rest, untilMs: until_ms })),
  };
}
