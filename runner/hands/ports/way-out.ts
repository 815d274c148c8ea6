import type { Duplex } from "node:stream";

/** Handles connections of programs in the work container, which has no network of its own. */
export interface WayOut {
  /** hosts as a person wrote them */
  readonly openTo: readonly string[];
  accept(connection: Duplex): void;
  /** returns hosts that were refused since the last call */
  takeRefused(): readonly string[];
}
