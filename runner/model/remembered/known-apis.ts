import { join } from "node:path";
import { z } from "zod";
import { type Api, apis } from "../../base/apis.js";
import type { Endpoint } from "../../settings/endpoints.js";
import type { KnownApis } from "../speech.js";
import { HomeMemory } from "./remembered-file.js";

const fileSchema = z.strictObject({
  v: z.literal(1),
  apis: z.array(z.strictObject({ base_url: z.string(), model: z.string(), api: z.enum(apis) })),
});
type File = z.infer<typeof fileSchema>;
type Entry = File["apis"][number];

/**
 * `apis.json` of the home: the interface each endpoint wants for a model, so that the next run need not find out again.
 */
export class ApisFile implements KnownApis {
  readonly #memory: HomeMemory<File, Entry>;

  constructor(home: string) {
    this.#memory = new HomeMemory(join(home, "apis.json"), {
      schema: fileSchema,
      entries: ({ apis }) => apis,
      file: (entries): File => ({ v: 1, apis: entries }),
    });
  }

  of(endpoint: Endpoint): Api | null {
    return this.#memory.entries().find(isOf(endpoint))?.api ?? null;
  }

  keep(endpoint: Endpoint, api: Api): void {
    const entry = { base_url: endpoint.baseUrl, model: endpoint.model, api };
    this.#memory.keep(entry, (other) => !isOf(endpoint)(other));
  }
}

function isOf({ baseUrl, model }: Endpoint): (entry: Entry) => boolean {
  return (entry) => entry.base_url === baseUrl && entry.model === model;
}
