import { join } from "node:path";
import { z } from "zod";
import type { KnownApis } from "./model/speech.js";
import { loadTextIfThere, parseState, saveState } from "./session/state-file.js";
import { type Api, apis, type Endpoint } from "./settings.js";

const mostKept = 200;
const fileSchema = z.strictObject({
  v: z.literal(1),
  apis: z.array(z.strictObject({ base_url: z.string(), model: z.string(), api: z.enum(apis) })),
});
type Entry = z.infer<typeof fileSchema>["apis"][number];

/**
 * `apis.json` of the home: which interface each endpoint was found to want for a model, so that the next run need not ask.
 * A file that cannot be read or written costs that one question and nothing else.
 */
export class ApisFile implements KnownApis {
  readonly #path: string;

  constructor(home: string) {
    this.#path = join(home, "apis.json");
  }

  of(endpoint: Endpoint): Api | null {
    return this.#entries().find(isOf(endpoint))?.api ?? null;
  }

  keep(endpoint: Endpoint, api: Api): void {
    const isOther = (entry: Entry) => !isOf(endpoint)(entry);
    const entry = { base_url: endpoint.baseUrl, model: endpoint.model, api };
    const kept = [...this.#entries().filter(isOther), entry].slice(-mostKept);
    try {
      saveState(this.#path, fileSchema, { v: 1, apis: kept });
    } catch {
      // a full disk is told of by what has to be written
    }
  }

  #entries(): readonly Entry[] {
    try {
      const text = loadTextIfThere(this.#path);
      return text === "" ? [] : parseState(this.#path, text, fileSchema).apis;
    } catch {
      return [];
    }
  }
}

function isOf({ baseUrl, model }: Endpoint): (entry: Entry) => boolean {
  return (entry) => entry.base_url === baseUrl && entry.model === model;
}
