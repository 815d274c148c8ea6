import { createHmac, randomBytes } from "node:crypto";
import type { ModelPhase } from "../session/log/events/fields.js";
import { forModel } from "../text/sanitise.js";

/**
 * Markers around text of others. Each mark is derived from the text with a secret, so no author of the text can know
 * it. The same text gets the same mark in every prompt, so that a provider's prompt cache still matches.
 */
export class Fence {
  readonly #secret: Buffer;

  constructor(secret: Buffer = randomBytes(32)) {
    this.#secret = secret;
  }

  /** Each role has its own marks, because one role may write text that another is shown. */
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
