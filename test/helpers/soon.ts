import { expect } from "vitest";

/** Waits until `expect` holds for what is seen. A busy machine needs more than vitest's one second. */
export const soon = <T>(seen: () => T) => expect.poll(seen, { timeout: 30_000 });
