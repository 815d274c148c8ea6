import { TilthError } from "../../../base/errors.js";
import type { BuiltEnvironment } from "../../ports/environment.js";
import type { Sandbox } from "../../ports/sandbox.js";
import { differencesIn } from "./inside.js";

/** Compares an environment with what was made, in the first container that mounts it. */
export class EnvironmentTrust {
  readonly #known = new Map<string, Promise<void>>();

  /** `removal` is the command by which a person removes an environment of that id. */
  constructor(private readonly removal: (id: string) => string) {}

  /** Returns the container once its environment is known to be whole; else ends it and throws TilthError `infra`. */
  async shown<S extends Sandbox>(environment: BuiltEnvironment | null, container: S, signal: AbortSignal): Promise<S> {
    if (environment === null) return container;
    const { id } = environment;
    const looked = this.#known.get(id) ?? this.#compared(container, environment, signal);
    this.#known.set(id, looked);
    try {
      await looked;
      return container;
    } catch (error) {
      this.#known.delete(id);
      await container[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #compared(container: Sandbox, { id, digest }: BuiltEnvironment, signal: AbortSignal): Promise<void> {
    const [first, ...others] = await differencesIn(container, digest, signal);
    if (first === undefined) return;
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    throw new TilthError(
      "infra",
      `the environment ${id} is not what tilth made: ${first}${more}`,
      `remove it, and it is made again: ${this.removal(id)}`,
    );
  }
}
