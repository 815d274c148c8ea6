import type { StartAhead } from "../roles/check/ahead.js";
import { type Container, NameTaken } from "./container/container.js";

interface Starting {
  readonly cores: number;
  readonly start: (name: string, signal: AbortSignal) => Promise<Container>;
  /** names a container that does not wait */
  readonly ownName: () => string;
  readonly taken: (container: Container) => void;
}

/**
 * Waiting containers hold memory, so no more checks wait on an engine than it has cores, for all sessions together.
 * Each core has a name, and the engine gives a name to one container at a time.
 */
export function startsAhead({ cores, start, ownName, taken }: Starting): StartAhead {
  const given = (container: Container): void => {
    void container.rename(ownName());
    taken(container);
  };
  return async (signal) => {
    for (let core = 0; core < cores; core += 1) {
      const container = await start(`tilth-check-ahead-${core}`, signal).catch(nullIfTaken);
      if (container) return { container, taken: () => given(container) };
    }
    return null;
  };
}

function nullIfTaken(error: unknown): null {
  if (error instanceof NameTaken) return null;
  throw error;
}
