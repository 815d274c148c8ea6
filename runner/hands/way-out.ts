import type { Duplex } from "node:stream";

/** For what programs in the work container connect to: the container itself has no network. */
export interface WayOut {
  /** as a person wrote them */
  readonly openTo: readonly string[];
  accept(connection: Duplex): void;
  /** hosts that were asked for in vain since this was asked last */
  takeRefused(): readonly string[];
}
