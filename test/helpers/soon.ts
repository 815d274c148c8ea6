import { expect } from "vitest";

/** As `expect` on what is seen once it is so. A machine with much else to do needs more than vitest's one second. */
export const soon = <T>(seen: () => T) => expect.poll(seen, { timeout: 30_000 });
