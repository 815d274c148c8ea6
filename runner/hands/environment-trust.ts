import { TilthError } from "../base/errors.js";
import type { Container } from "./container.js";
import { differencesIn } from "./environment-build.js";
import type { BuiltEnvironment } from "./environment-port.js";

/** Compares an environment with what was made, in the first container that mounts it. */
export class EnvironmentTrust {
  readonly #known = new Map<string, Promise<void>>();

  /** Returns the container once its environment is known to be whole; else ends it and throws TilthError `infra`. */
  async shown(environment: BuiltEnvironment | null, container: Container, signal: AbortSignal): Promise<Container> {
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

async function compared(
  container: Container,
  { volume, digest }: BuiltEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const [first, ...others] = await differencesIn(container, digest, signal);
  if (first === undefined) return;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  throw new TilthError(
    "infra",
    `the environment on the engine is not what tilth made: ${first}${more}`,
    `remove it, and it is made again: docker volume rm ${volume}`,
  );
}
