import { z } from "zod";
import { TilthError } from "../../../base/errors.js";
import { RecordReader } from "../../../disk/record-reader.js";
import { boundedJson, listOf } from "../../../text/bounded-json.js";
import type { EnvironmentAnswer } from "../../ports/environment.js";

/** far more lines than a build of thousands of packages prints */
const mostLines = 20_000;
const mostValues = 300_000;
const lineEnd = 10;
const longestSaid = 2_000;

const sentence = z.string().transform((text) => text.slice(0, 20_000));
const sentences = listOf(sentence).transform((all) => all.slice(0, 1_000));

const madeSchema = z.object({
  ok: z.literal(true),
  none: z.boolean().optional(),
  lock: z.string(),
  /** wheels built from source, by file name, in base64 */
  wheels: z.record(z.string(), z.string()).default({}),
  names: listOf(z.tuple([z.string(), z.string()])).default([]),
  taken: sentences.default([]),
  said: sentences.default([]),
  digest: z.string().nullish(),
  python: z.string().default(""),
  pytest: z.string().default(""),
});
export type BuildResult = z.infer<typeof madeSchema>;

const refusedSchema = z.object({
  ok: z.literal(false),
  kind: z.enum(["refused", "unresolved", "failed"]),
  problem: sentence,
  remedy: sentence,
});

const resultSchema = z.union([madeSchema, refusedSchema]);
export type TalkResult = z.infer<typeof resultSchema>;

const lineSchema = z.union([z.object({ say: z.string() }), z.object({ result: resultSchema })]);

/** Reads the output of the program in a build container, one line of JSON each. */
export class EnvironmentTalk {
  /** null until the program has printed its result */
  result: TalkResult | null = null;
  #heard = 0;
  readonly #lines = new RecordReader(lineEnd);

  constructor(private readonly say: (line: string) => void) {}

  /** Throws TilthError `infra` when more lines come than such a program has to say. */
  take(chunk: Uint8Array): void {
    for (const line of this.#lines.read(chunk)) {
      this.#heard += 1;
      if (this.#heard > mostLines) throw endless();
      this.#hear(line);
    }
  }

  #hear(line: Uint8Array): void {
    const heard = lineSchema.safeParse(boundedJson(line, mostValues));
    if (!heard.success) return;
    if ("say" in heard.data) this.say(heard.data.say.slice(0, longestSaid));
    else this.result = heard.data.result;
  }
}

function endless(): TilthError {
  return new TilthError(
    "infra",
    `the container that makes the environment said more than ${mostLines} lines`,
    "build nothing from source that you do not trust: TILTH_BUILD_FROM_SOURCE; then try again",
  );
}

/** `id` is the environment's; `before` is the result for the same files from building wheels first. */
export function answerOf(said: TalkResult, id: string, before: BuildResult | null): EnvironmentAnswer {
  if (!said.ok) return { kind: said.kind, problem: said.problem, remedy: said.remedy };
  const { lock, names, taken, digest, python, pytest } = said;
  const sayings = [...new Set([...(before?.said ?? []), ...said.said])];
  if (said.none === true || !digest) return { kind: "none", said: sayings };
  const facts = { lock, packages: names, taken, said: sayings, python, pytest };
  return { kind: "built", environment: { id, digest }, facts };
}
