import { mkdirSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../disk/atomic-file.js";
import { diskTrouble, errnoCode } from "../disk/disk-trouble.js";
import { readRegular } from "../disk/read-regular.js";

/** The files call the id a volume, and keep it that way: an older tilth with the same home reads them too. */
const builtSchema = z.codec(
  z.strictObject({ volume: z.string(), digest: z.string() }),
  z.strictObject({ id: z.string(), digest: z.string() }),
  {
    decode: ({ volume, digest }) => ({ id: volume, digest }),
    encode: ({ id, digest }) => ({ volume: id, digest }),
  },
);

const recordSchema = z.strictObject({
  v: z.literal(1),
  key: z.string(),
  /** null when the files ask for no environment */
  built: builtSchema.nullable(),
  lock: z.string(),
  packages: z.array(z.tuple([z.string(), z.string()])),
  taken: z.array(z.string()),
  said: z.array(z.string()),
  python: z.string(),
  pytest: z.string(),
  created_at: z.iso.datetime(),
});
export type EnvironmentRecord = z.infer<typeof recordSchema>;

const mostBytes = 64 * 1024 * 1024;

/** This home's environments that are kept; recorded only once whole, so that a half-made one is never used. */
export class EnvironmentStore {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, "environments");
  }

  /** Returns null for a record that is missing or unreadable: the environment can be made again. */
  load(id: string): EnvironmentRecord | null {
    const file = readRegular(this.#path(id), mostBytes);
    if (!file.ok) return null;
    try {
      return recordSchema.parse(JSON.parse(file.content.toString("utf8")));
    } catch {
      return null;
    }
  }

  save(id: string, record: EnvironmentRecord): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw diskTrouble("make the folder", this.#folder, error);
    }
    writeFileAtomic(this.#path(id), `${JSON.stringify(recordSchema.encode(record))}\n`);
  }

  remove(id: string): void {
    try {
      unlinkSync(this.#path(id));
    } catch (error) {
      if (errnoCode(error) !== "ENOENT") throw diskTrouble("remove", this.#path(id), error);
    }
  }

  all(): ReadonlyMap<string, EnvironmentRecord> {
    const found = new Map<string, EnvironmentRecord>();
    for (const id of this.#ids()) {
      const record = this.load(id);
      if (record) found.set(id, record);
    }
    return found;
  }

  #ids(): readonly string[] {
    try {
      return readdirSync(this.#folder).flatMap((name) => /^([0-9a-f]{64})\.json$/.exec(name)?.[1] ?? []);
    } catch (error) {
      if (errnoCode(error) === "ENOENT") return [];
      throw diskTrouble("read the folder", this.#folder, error);
    }
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
