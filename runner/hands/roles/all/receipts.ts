import { isDeepStrictEqual } from "node:util";
import type { TellReceipt } from "../../ports/hands.js";
import type { Sandbox } from "../../ports/sandbox.js";
import { NotIsolated, type Receipt } from "../../ports/work.js";

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

  /** Returns the sandbox that `starting` gives, and notes its receipt; notes that of a failed start too. */
  async noted<S extends Pick<Sandbox, "role" | "receipt">>(starting: Promise<S>): Promise<S> {
    const sandbox = await starting.catch((error: unknown) => {
      if (error instanceof NotIsolated) this.#tell?.(error.role, error.receipt);
      throw error;
    });
    this.note(sandbox);
    return sandbox;
  }

  note({ role, receipt }: Pick<Sandbox, "role" | "receipt">): void {
    if (isDeepStrictEqual(this.#last.get(role), receipt)) return;
    this.#last.set(role, receipt);
    this.#tell?.(role, receipt);
  }
}
