import { z } from "zod";
import type { EnvironmentAnswer } from "./environment-port.js";

const sentences = z.array(z.string());

const madeSchema = z.object({
  ok: z.literal(true),
  none: z.boolean().optional(),
  lock: z.string(),
  /** what was built from source, by file name, in base64 */
  wheels: z.record(z.string(), z.string()).default({}),
  names: z.array(z.tuple([z.string(), z.string()])).default([]),
  taken: sentences.default([]),
  said: sentences.default([]),
  digest: z.string().nullish(),
  python: z.string().default(""),
  pytest: z.string().default(""),
});
export type Made = z.infer<typeof madeSchema>;

const refusedSchema = z.object({
  ok: z.literal(false),
  kind: z.enum(["refused", "unresolved", "failed"]),
  problem: z.string(),
  remedy: z.string(),
});

const resultSchema = z.union([madeSchema, refusedSchema]);
export type Said = z.infer<typeof resultSchema>;

const lineSchema = z.union([z.object({ say: z.string() }), z.object({ result: resultSchema })]);

/** What the program in a build container says, a line of JSON each. */
export class EnvironmentTalk {
  /** null until it has come to an end by itself */
  result: Said | null = null;
  #rest = "";
  readonly #decoder = new TextDecoder();

  constructor(private readonly say: (line: string) => void) {}

  take(chunk: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#hear(line);
  }

  #hear(line: string): void {
    const heard = lineSchema.safeParse(parsed(line));
    if (!heard.success) return;
    if ("say" in heard.data) this.say(heard.data.say);
    else this.result = heard.data.result;
  }
}

/** `before`: what was said of the same files where something was built for them first. */
export function answerOf(said: Said, volume: string, before: Made | null): EnvironmentAnswer {
  if (!said.ok) return { kind: said.kind, problem: said.problem, remedy: said.remedy };
  const { lock, names, taken, digest, python, pytest } = said;
  const sayings = [...new Set([...(before?.said ?? []), ...said.said])];
  if (said.none === true || !digest) return { kind: "none", said: sayings };
  const facts = { lock, packages: names, taken, said: sayings, python, pytest };
  return { kind: "built", environment: { volume, digest }, facts };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
