import type { WaitingSandbox } from "../roles/all/sandboxed-hands.js";
import { type Container, NameTaken } from "./container/container.js";

interface Starting {
  readonly cores: number;
  readonly start: (name: string) => Promise<Container>;
  /** names a container that does not wait */
  readonly ownName: () => string;
}

/**
 * Waiting containers hold memory, so no more checks wait on an engine than it has cores, for all sessions together.
 * Each core has a name, and the engine gives a name to one container at a time.
 */
export async function startedAhead({ cores, start, ownName }: Starting): Promise<WaitingSandbox | null> {
  for (let core = 0; core < cores; core += 1) {
    const sandbox = await start(`tilth-check-ahead-${core}`).catch(nullIfTaken);
    if (sandbox) return { sandbox, taken: () => void sandbox.rename(ownName()) };
  }
  return null;
}

function nullIfTaken(error: unknown): null {
  if (error instanceof NameTaken) return null;
  throw error;
}
