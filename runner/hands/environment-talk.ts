import { z } from "zod";
import type { EnvironmentAnswer } from "./environment-port.js";

const sentences = z.array(z.string());

const resultSchema = z.union([
  z.object({
    ok: z.literal(true),
    none: z.boolean().optional(),
    lock: z.string(),
    names: z.array(z.tuple([z.string(), z.string()])).default([]),
    taken: sentences.default([]),
    said: sentences.default([]),
    digest: z.string().nullish(),
    python: z.string().default(""),
    pytest: z.string().default(""),
  }),
  z.object({
    ok: z.literal(false),
    kind: z.enum(["refused", "unresolved", "failed"]),
    problem: z.string(),
    remedy: z.string(),
  }),
]);

const lineSchema = z.union([z.object({ say: z.string() }), z.object({ result: resultSchema })]);

/** What the program in a build container says, a line of JSON each. */
export class EnvironmentTalk {
  #rest = "";
  #result: z.infer<typeof resultSchema> | null = null;
  readonly #decoder = new TextDecoder();

  constructor(private readonly say: (line: string) => void) {}

  take(chunk: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#hear(line);
  }

  /** Null where it ended without one. */
  answer(volume: string): EnvironmentAnswer | null {
    const result = this.#result;
    if (result === null) return null;
    if (!result.ok) return { kind: result.kind, problem: result.problem, remedy: result.remedy };
    const { lock, names, taken, said, digest, python, pytest } = result;
    if (result.none === true || !digest) return { kind: "none", said };
    return {
      kind: "built",
      environment: { volume, digest },
      facts: { lock, packages: names, taken, said, python, pytest },
    };
  }

  #hear(line: string): void {
    const heard = lineSchema.safeParse(parsed(line));
    if (!heard.success) return;
    if ("say" in heard.data) this.say(heard.data.say);
    else this.#result = heard.data.result;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
