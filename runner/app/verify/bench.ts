import type { Wanted } from "../../environment/ensure-environment.js";
import type { Hands } from "../../hands/hands.js";

/** Hands that belong to no session, on which recorded checks are run again; disposed, nothing of them is left. */
export interface Bench extends AsyncDisposable {
  readonly hands: Hands;
  /** why these hands stand on another image than the recorded one; null when they do not */
  readonly otherImage: string | null;
  /** Checks run in it from now on; TilthError `usage` where it cannot be had. */
  useEnvironment(wanted: Wanted | null): Promise<void>;
}

/** `image`: the engine's id of it, as recorded. Fails with TilthError `usage` when there is no engine or no image at all. */
export type OpenBench = (
  image: string,
  around: { readonly say: (line: string) => void; readonly signal: AbortSignal },
) => Promise<Bench>;
