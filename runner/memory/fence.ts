import { createHmac, randomBytes } from "node:crypto";
import type { ModelPhase } from "../session/events.js";
import { forModel } from "../text/sanitise.js";

/**
 * Markers around text of others. A mark is drawn from the text itself by a secret, so none of its authors can know it,
 * while the same text has the same mark in every prompt: a provider that keeps the beginnings of prompts finds it again.
 */
export class Fence {
  readonly #secret: Buffer;

  constructor(secret: Buffer = randomBytes(32)) {
    this.#secret = secret;
  }

  /** Each role has marks of its own: one may write what another is shown. */
  for(role: ModelPhase): Fence {
    return new Fence(this.#drawn(role));
  }

  around(text: string): string {
    const shown = forModel(text);
    const mark = this.#drawn(shown).toString("hex").slice(0, 16);
    return `<<<${mark}\n${shown}\n${mark}>>>`;
  }

  #drawn(text: string): Buffer {
    return createHmac("sha256", this.#secret).update(text).digest();
  }
}
