import { isDeepStrictEqual } from "node:util";
import type { TellReceipt } from "../ports/hands.js";
import { NotIsolated, type Receipt } from "../ports/work.js";
import type { Container } from "./container/container.js";

type RoleReceipt = readonly [role: string, receipt: Receipt];

/** Keeps proofs of isolation: each role's first, and every other that differs from the last. */
export class Receipts {
  readonly #last = new Map<string, Receipt>();
  readonly #untold: RoleReceipt[] = [];
  #tell: TellReceipt | null = (...shown) => void this.#untold.push(shown);

  tellTo(tell: TellReceipt | null): void {
    this.#tell = tell;
    for (const shown of this.#untold.splice(0)) tell?.(...shown);
  }

  /** Returns the container that `starting` gives, and notes its receipt; notes that of a failed start too. */
  async noted<C extends Pick<Container, "role" | "receipt">>(starting: Promise<C>): Promise<C> {
    const container = await starting.catch((error: unknown) => {
      if (error instanceof NotIsolated) this.#tell?.(error.role, error.receipt);
      throw error;
    });
    this.note(container);
    return container;
  }

  note({ role, receipt }: Pick<Container, "role" | "receipt">): void {
    if (isDeepStrictEqual(this.#last.get(role), receipt)) return;
    this.#last.set(role, receipt);
    this.#tell?.(role, receipt);
  }
}
