import { TilthError } from "../../../base/errors.js";
import { RecordReader } from "../../../disk/record-reader.js";
import { boundedJson } from "../../../text/bounded-json.js";
import { type BuildResult, type TalkResult, talkLine } from "../../pipe/wire/environment.js";
import type { EnvironmentAnswer } from "../../ports/environment.js";

/** far more lines than a build of thousands of packages prints */
const mostLines = 20_000;
const mostValues = 300_000;
const lineEnd = 10;
const longestSaid = 2_000;

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
    const heard = talkLine.safeParse(boundedJson(line, mostValues));
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
