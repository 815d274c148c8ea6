import { createInterface } from "node:readline";
import type Dockerode from "dockerode";
import { TilthError } from "../../../base/errors.js";
import type { Settings } from "../../../settings/settings.js";
import type { Engine } from "../engine/engine.js";
import { refusalOf } from "../engine/engine-errors.js";

/** The context in which an image is made; `say` gets one line of progress at a time. */
export interface BuildContext {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** One line of the engine's output while it pulls, imports or builds. */
export interface EngineMessage {
  readonly status?: string;
  readonly id?: string;
  readonly stream?: string;
  readonly error?: string;
  readonly errorDetail?: { readonly code?: number };
  readonly aux?: { readonly ID?: string };
}

/** A command of the Dockerfile ran and failed; any other failure is the engine's own. */
export class StepFailed extends Error {}

/** Reads such a stream to its end; the engine first answers 200 and reports failures only inside. */
export async function followStream(
  stream: NodeJS.ReadableStream,
  { onMessage }: { onMessage: (message: EngineMessage) => void },
): Promise<void> {
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    const message = JSON.parse(line) as EngineMessage;
    if (message.error !== undefined)
      throw message.errorDetail?.code ? new StepFailed(message.error) : new Error(message.error);
    onMessage(message);
  }
}

type Asking = Pick<BuildContext, "engine" | "signal">;

/** Returns null when the engine has no image of that name, tag, digest or id. */
export async function localImage(
  reference: string,
  { engine, signal }: Asking,
): Promise<Dockerode.ImageInspectInfo | null> {
  try {
    return await engine.must(`look up ${reference}`, signal, (docker) => docker.getImage(reference).inspect());
  } catch (error) {
    // 400: no image can have that name
    const refusal = refusalOf(error);
    if (refusal === 404 || refusal === 400) return null;
    throw error;
  }
}

/** Returns an image that must be there, since it was just made. */
export async function madeImage(reference: string, asking: Asking): Promise<Dockerode.ImageInspectInfo> {
  const image = await localImage(reference, asking);
  if (image) return image;
  throw new TilthError("infra", `the engine did not keep the image ${reference}`, "look at the engine's log");
}
