import type { EnvironmentOrder } from "../../../environment/ensure-environment.js";
import type { Hands } from "../../../hands/ports/hands.js";

/** Hands of no session, for running recorded checks again; when disposed, they leave nothing behind. */
export interface RecheckHands extends AsyncDisposable {
  readonly hands: Hands;
  /** says that another image than the recorded one is used; null if it is the same */
  readonly otherImage: string | null;
  /** Checks run in this environment from now on; TilthError `usage` if it is not available. */
  useEnvironment(wanted: EnvironmentOrder | null): Promise<void>;
}

/**
 * `image`: its id, as recorded. Throws TilthError `usage` if there are no hands to be had, or no hands image at all.
 */
export type OpenRecheckHands = (
  image: string,
  around: { readonly say: (line: string) => void; readonly signal: AbortSignal },
) => Promise<RecheckHands>;
