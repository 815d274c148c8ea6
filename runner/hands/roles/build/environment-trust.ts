import { TilthError } from "../../../base/errors.js";
import type { BuiltEnvironment } from "../../ports/environment.js";
import type { Sandbox } from "../../ports/sandbox.js";
import { differencesIn } from "./inside.js";

/** Compares an environment with what was made, in the first container that mounts it. */
export class EnvironmentTrust {
  readonly #known = new Map<string, Promise<void>>();

  /** Returns the container once its environment is known to be whole; else ends it and throws TilthError `infra`. */
  async shown<S extends Sandbox>(environment: BuiltEnvironment | null, container: S, signal: AbortSignal): Promise<S> {
    if (environment === null) return container;
    const { volume, digest } = environment;
    const looked = this.#known.get(volume) ?? compared(container, { volume, digest }, signal);
    this.#known.set(volume, looked);
    try {
      await looked;
      return container;
    } catch (error) {
      this.#known.delete(volume);
      await container[Symbol.asyncDispose]();
      throw error;
    }
  }
}

async function compared(container: Sandbox, { volume, digest }: BuiltEnvironment, signal: AbortSignal): Promise<void> {
  const [first, ...others] = await differencesIn(container, digest, signal);
  if (first === undefined) return;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  throw new TilthError(
    "infra",
    `the environment on the engine is not what tilth made: ${first}${more}`,
    `remove it, and it is made again: docker volume rm ${volume}`,
  );
}
